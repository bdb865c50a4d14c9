// The form of a swap.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Action } from "./action";
import { ActivityButton } from "./activity";
import { exact, percent, rate, short, usd } from "./amount";
import { answer, reverse, quote, waiting } from "./answer";
import { delay } from "./api";
import { TokenButton } from "./choice";
import { Arrows, Sliders } from "./icons";
import { checkGuard, HIGH_IMPACT_BPS, NOTABLE_IMPACT_BPS, findSmallerAmount } from "./impact";
import { Failure, Notes, RecipientNote } from "./notes";
import { excluded, query, recipient, slippageBps, tokenIn, tokenOut } from "./order";
import { Pay } from "./pay";
import { followPrices, value } from "./prices";
import { Progress } from "./progress";
import { networkCost } from "./receipt";
import { dialogOpen } from "./send";
import { Settings } from "./settings";
import { Toasts } from "./toasts";
import { NATIVE } from "./tokens";
import { identifyChain } from "./transactions";
import { resume } from "./watch";

/** Starts what runs in the background while the page is open. */
async function startBackgroundTasks(): Promise<void> {
  followPrices();
  checkGuard();
  findSmallerAmount();
  while (!(await identifyChain().then(() => true, () => false))) await delay(1000);
  resume();
}

export function Form() {
  const settings = useSignal(false);
  useEffect(() => void startBackgroundTasks(), []);
  return (
    <section class="card form" aria-label="Swap">
      <div class="bar">
        <h1>Swap</h1>
        <span class="tools">
          <ActivityButton />
          <button type="button" class="icon" onClick={() => (settings.value = true)} aria-label="Settings">
            <Sliders />
            {(excluded.value.length > 0 || recipient.value) && <b class="mark" aria-hidden="true" />}
          </button>
        </span>
      </div>
      <Pay />
      <button type="button" class="flip" onClick={reverse} aria-label="Turn the swap around">
        <Arrows />
      </button>
      <Receive />
      <RecipientNote />
      <Action />
      <div class="outcome">{answer.value.kind === "failed" && tokenOut.value ? <Failure /> : <Summary />}</div>
      <Notes />
      <Announcement />
      {settings.value && <Settings close={() => (settings.value = false)} />}
      {dialogOpen.value && <Progress />}
      <Toasts />
    </section>
  );
}

function Receive() {
  const out = tokenOut.value;
  const q = quote.value;
  const receivedText = q && out ? short(BigInt(q.amountOut), out.decimals, 9) : "";
  return (
    <div class="side">
      <div class="line">
        <span class="label">You receive</span>
      </div>
      <div class="line">
        <output
          aria-live="off"
          class={waiting.value ? "amount number pale" : "amount number"}
          style={{ "--length": Math.max(receivedText.length, 1) }}
          title={q && out ? exact(BigInt(q.amountOut), out.decimals) : ""}
        >
          {receivedText || <span class="soft">{answer.value.kind === "none" && query.value ? "…" : "0"}</span>}
        </output>
        <TokenButton side="out" chosen={out} />
      </div>
      <div class="line soft number usd">{q && !waiting.value && <ReceivedValue />}</div>
    </div>
  );
}

/** The value received in USD, and its difference to the value paid. */
function ReceivedValue() {
  const q = quote.value!;
  const [paid, received] = [Number(q.amountInUsd), Number(q.amountOutUsd)];
  const change = paid > 0 && received > 0 ? (received / paid - 1) * 100 : undefined;
  return (
    <>
      {usd(q.amountOutUsd)}{" "}
      {change !== undefined && (
        <span class={change < -HIGH_IMPACT_BPS / 100 ? "bad" : ""}>
          ({change >= 0 ? "+" : "−"}
          {Math.abs(change).toFixed(2)}%)
        </span>
      )}
    </>
  );
}

/** The quote for screen readers: announced once per order, not at every block. */
function Announcement() {
  const announced = useSignal({ order: "", text: "" });
  useSignalEffect(() => {
    const [q, out, order] = [quote.value, tokenOut.value, JSON.stringify(query.value)];
    if (!q || !out || waiting.value || announced.peek().order === order) return;
    const text = `${short(BigInt(q.amountIn), tokenIn.value.decimals)} ${tokenIn.value.symbol} pays ${short(BigInt(q.amountOut), out.decimals)} ${out.symbol}`;
    announced.value = { order, text };
  });
  return (
    <p class="hidden" role="status">
      {announced.value.text}
    </p>
  );
}

/** The figures of the quote. Every line is always there, so that the layout does not shift. */
function Summary() {
  const [q, out] = [quote.value, tokenOut.value];
  const rateText = q && out ? rate(BigInt(q.amountIn), tokenIn.value.decimals, BigInt(q.amountOut), out.decimals) : "";
  const cost = q ? value(BigInt(q.meta.gasCostWei), NATIVE) : undefined;
  const receivedUsd = q ? Number(q.amountOutUsd) : 0;
  const net = cost !== undefined && receivedUsd > 0 ? receivedUsd - cost : undefined;
  const impact = q?.priceImpactBps ?? 0;
  return (
    <dl class={waiting.value ? "summary pale" : "summary"}>
      <Line name="Rate" value={rateText && `1 ${tokenIn.value.symbol} = ${rateText} ${out!.symbol}`} />
      <Line name="At least" value={q && out ? `${short(BigInt(q.meta.minAmountOut), out.decimals, 8)} ${out.symbol}` : ""} />
      <Line name="Slippage" value={percent(slippageBps.value)} tone={slippageBps.value > 300 ? "warn" : ""} />
      <Line name="Price impact" value={q ? percent(impact) : ""} tone={impact >= HIGH_IMPACT_BPS ? "bad" : impact >= NOTABLE_IMPACT_BPS ? "warn" : ""} />
      <Line name="Network cost" value={q ? networkCost(BigInt(q.meta.gasCostWei)) : ""} />
      <Line name="Net received" value={net === undefined ? "" : net < 0 ? `−${usd(-net)}` : usd(net) || "$0.00"} tone={net !== undefined && net < 0 ? "bad" : ""} />
    </dl>
  );
}

function Line({ name, value, tone = "" }: { name: string; value: string; tone?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={`number ${tone}`}>{value || "–"}</dd>
    </div>
  );
}
