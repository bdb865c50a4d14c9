// The card in which a swap is put together.

import { computed, useSignal } from "@preact/signals";
import { isAddress } from "viem";
import { exact, percent, rate, short, usd } from "./amount";
import { answer, connection, quote, waiting } from "./answer";
import type { Token } from "./api";
import { held } from "./holdings";
import { Arrows, Chevron, Logo, Sliders } from "./icons";
import { local, localProvider } from "./local";
import { amountIn, choose, excluded, flip, query, recipient, tokenIn, tokenOut, typed } from "./order";
import { Picker } from "./picker";
import { Progress } from "./progress";
import { stage, swap } from "./send";
import { Settings } from "./settings";
import { isNative } from "./tokens";
import { account, connect, switchChain, wallets, wrongChain } from "./wallet";
import { choosing } from "./wallets";
import { explain } from "./words";

/** Above this a swap is coloured as one to think about, and one to fear. */
const NOTABLE_BPS = 100;
const FEARED_BPS = 1000;

/** Monad takes a value transfer that leaves less than this only now and then. */
const RESERVE = 10n * 10n ** 18n;

/** What a swap burns, about, until a quote says it. */
const USUAL_GAS = 10n ** 17n;

const balance = computed(() => held.value?.get(tokenIn.value.address));
const gasCost = computed(() => (quote.value ? BigInt(quote.value.meta.gasCostWei) : USUAL_GAS));

/** All there is; of native what the gas limit leaves. */
const most = computed(() => {
  if (balance.value === undefined || !isNative(tokenIn.value)) return balance.value;
  return balance.value > gasCost.value ? balance.value - gasCost.value : 0n;
});

const dips = computed(
  () => isNative(tokenIn.value) && balance.value !== undefined && amountIn.value !== undefined && balance.value - amountIn.value < RESERVE + gasCost.value,
);

export function Form() {
  const settings = useSignal(false);
  return (
    <section class="card form" aria-label="Swap">
      <div class="bar">
        <h1>Swap</h1>
        <button type="button" class="icon" onClick={() => (settings.value = true)} aria-label="Settings">
          <Sliders />
          {excluded.value.length > 0 && <b class="mark" aria-hidden="true" />}
        </button>
      </div>
      <Pay />
      <button type="button" class="flip" onClick={flip} aria-label="Turn the swap around">
        <Arrows />
      </button>
      <Receive />
      <Trouble />
      <Action />
      <Summary />
      {settings.value && <Settings close={() => (settings.value = false)} />}
      {stage.value.kind !== "idle" && <Progress />}
    </section>
  );
}

function Pay() {
  const { decimals } = tokenIn.value;
  return (
    <div class="side">
      <div class="line">
        <label for="amount">You pay</label>
        {most.value !== undefined && (
          <button type="button" class="max" onClick={() => (typed.value = exact(most.value!, decimals))}>
            <span class="number">{short(balance.value!, decimals, 7)}</span> <b>Max</b>
          </button>
        )}
      </div>
      <div class="line">
        <input
          id="amount"
          class="amount number"
          inputMode="decimal"
          autocomplete="off"
          spellcheck={false}
          placeholder="0"
          maxLength={80}
          style={{ "--length": typed.value.length }}
          value={typed.value}
          aria-invalid={typed.value !== "" && amountIn.value === undefined}
          onInput={(event) => (typed.value = event.currentTarget.value.trim())}
        />
        <Choice side="in" chosen={tokenIn.value} />
      </div>
      <div class="line soft number usd">{quote.value && !waiting.value ? usd(quote.value.amountInUsd) : ""}</div>
    </div>
  );
}

function Receive() {
  const out = tokenOut.value;
  const q = quote.value;
  const got = q && out ? short(BigInt(q.amountOut), out.decimals, 9) : "";
  return (
    <div class="side">
      <div class="line">
        <span class="label">You receive</span>
      </div>
      <div class="line">
        <output
          aria-live="off"
          class={waiting.value ? "amount number pale" : "amount number"}
          style={{ "--length": got.length }}
          title={q && out ? exact(BigInt(q.amountOut), out.decimals) : ""}
        >
          {got || <span class="soft">{answer.value.kind === "none" && query.value ? "…" : "0"}</span>}
        </output>
        <Choice side="out" chosen={out} />
      </div>
      <div class="line soft number usd">{q && !waiting.value && <Worth />}</div>
    </div>
  );
}

/** What is received in dollars, and how that compares with what is paid. */
function Worth() {
  const q = quote.value!;
  const [paid, got] = [Number(q.amountInUsd), Number(q.amountOutUsd)];
  const change = paid > 0 && got > 0 ? (got / paid - 1) * 100 : undefined;
  return (
    <>
      {usd(q.amountOutUsd)}{" "}
      {change !== undefined && (
        <span class={change < -FEARED_BPS / 100 ? "bad" : ""}>
          ({change >= 0 ? "+" : "−"}
          {Math.abs(change).toFixed(2)}%)
        </span>
      )}
    </>
  );
}

function Choice({ side, chosen }: { side: "in" | "out"; chosen: Token | undefined }) {
  const open = useSignal(false);
  const title = side === "in" ? "Pay with" : "Receive";
  return (
    <>
      <button type="button" class="token" onClick={() => (open.value = true)} aria-label={`${title}: ${chosen?.symbol ?? "choose a token"}`}>
        {chosen ? <Logo token={chosen} size={26} /> : null}
        <span>{chosen?.symbol ?? "Choose"}</span>
        <Chevron />
      </button>
      {open.value && <Picker title={title} chosen={chosen} choose={(token) => choose(side, token)} close={() => (open.value = false)} />}
    </>
  );
}

/** Why there is no quote, and a way out where there is one. */
function Trouble() {
  const out = tokenOut.value;
  const notes = [];
  if (answer.value.kind === "failed" && out) {
    const { title, advice, amount, excluded: source } = explain(answer.value.error, tokenIn.value, out);
    notes.push(
      <div class="note bad" role="alert" key="error">
        <b>{title}</b> {advice}{" "}
        {amount && (
          <button type="button" class="link" onClick={() => (typed.value = amount)}>
            Use {amount.length > 14 ? `${amount.slice(0, 14)}…` : amount}
          </button>
        )}
        {source && (
          <button type="button" class="link" onClick={() => (excluded.value = [])}>
            Allow all sources
          </button>
        )}
      </div>,
    );
  }
  if (quote.value && quote.value.priceImpactBps >= FEARED_BPS) {
    notes.push(
      <div class="note bad" role="alert" key="impact">
        <b>High price impact: {percent(quote.value.priceImpactBps)}.</b> The market is shallow for this amount. Smaller swaps lose less.
      </div>,
    );
  }
  if (dips.value) {
    notes.push(
      <div class="note" key="reserve">
        <b>The 10 MON reserve.</b> Monad may refuse a transaction that spends an account down below 10 MON, though the route is right.
      </div>,
    );
  }
  return <>{notes}</>;
}

const other = computed(() => recipient.value.trim());

async function useLocal(): Promise<void> {
  await connect(wallets.value.find((w) => w.provider === localProvider)!);
}

function go(): void {
  const [q, out, amount] = [quote.value!, tokenOut.value!, amountIn.value!];
  void swap({
    tokenIn: tokenIn.value,
    tokenOut: out,
    amountIn: amount,
    minimum: BigInt(q.meta.minAmountOut),
    expected: BigInt(q.amountOut),
    recipient: other.value || account.value!,
    query: query.value!,
  });
}

type Deed = { label: string; act?: () => void; fear?: boolean };

const deed = computed<Deed>(() => {
  if (!tokenOut.value) return { label: "Choose a token" };
  if (!typed.value) return { label: "Enter an amount" };
  if (!amountIn.value) return { label: "Not an amount of this token" };
  if (!account.value) {
    if (local && wallets.value.length === 1) return { label: "Use the local account", act: () => void useLocal() };
    return { label: "Connect a wallet", act: () => (choosing.value = true) };
  }
  if (wrongChain.value) return { label: "Switch the wallet to Monad", act: () => void switchChain().catch(() => undefined) };
  if (other.value && !isAddress(other.value)) return { label: "The recipient is no address" };
  if (balance.value !== undefined && amountIn.value > balance.value) return { label: `Not enough ${tokenIn.value.symbol}` };
  if (most.value !== undefined && amountIn.value > most.value) return { label: "Not enough MON for the gas" };
  if (connection.value !== "live") return { label: connection.value === "connecting" ? "Connecting…" : "No connection to the service" };
  if (answer.value.kind === "failed") return { label: "No quote" };
  if (!quote.value || waiting.value) return { label: "Finding the best route…" };
  if (quote.value.priceImpactBps >= FEARED_BPS) return { label: "Swap anyway", act: go, fear: true };
  return { label: "Swap", act: go };
});

function Action() {
  const { label, act, fear } = deed.value;
  return (
    <button type="button" class={fear ? "action fear" : "action"} disabled={!act} onClick={act}>
      {label}
    </button>
  );
}

function Summary() {
  const [q, out] = [quote.value, tokenOut.value];
  const known = q && out ? rate(BigInt(q.amountIn), tokenIn.value.decimals, BigInt(q.amountOut), out.decimals) : "";
  return (
    <dl class={waiting.value ? "summary pale" : "summary"}>
      <div>
        <dt>Rate</dt>
        <dd class="number">{known ? `1 ${tokenIn.value.symbol} = ${known} ${out!.symbol}` : "–"}</dd>
      </div>
      <div>
        <dt>At least</dt>
        <dd class="number">{q && out ? `${short(BigInt(q.meta.minAmountOut), out.decimals, 8)} ${out.symbol}` : "–"}</dd>
      </div>
      <div>
        <dt>Price impact</dt>
        <dd class={`number ${q && q.priceImpactBps >= FEARED_BPS ? "bad" : q && q.priceImpactBps >= NOTABLE_BPS ? "warn" : ""}`}>{q ? percent(q.priceImpactBps) : "–"}</dd>
      </div>
    </dl>
  );
}
