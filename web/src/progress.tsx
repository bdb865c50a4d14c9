// What happens to a swap after the click.

import { exact, short } from "./amount";
import { Dialog } from "./dialog";
import { Logo, Tick } from "./icons";
import { stage, type Deal, type Result, type Step } from "./send";
import { NATIVE } from "./tokens";

const order: Step[] = ["prepare", "approve", "approving", "sign", "sent"];

export function Progress() {
  const now = stage.value;
  if (now.kind === "idle") return null;
  const close = () => (stage.value = { kind: "idle" });
  const title = now.kind === "done" ? "Swapped" : now.kind === "failed" ? "Not swapped" : "Swapping";
  return (
    <Dialog title={title} close={close} class="small progress">
      <Pair deal={now.deal} />
      <div aria-live="polite">
        {now.kind === "working" && <Steps step={now.step} approves={now.approves} token={now.deal.tokenIn.symbol} />}
        {now.kind === "failed" && (
          <div role="alert" class="note bad">
            <b>{now.words.title}</b> {now.words.advice}
          </div>
        )}
        {now.kind === "done" && <Receipt deal={now.deal} result={now.result} />}
      </div>
      {"hash" in now && now.hash && <Hash hash={now.hash} />}
      {now.kind !== "working" && (
        <button type="button" class="action" onClick={close}>
          {now.kind === "done" ? "Done" : "Back"}
        </button>
      )}
    </Dialog>
  );
}

function Pair({ deal }: { deal: Deal }) {
  return (
    <p class="pair number">
      <Logo token={deal.tokenIn} size={22} /> {short(deal.amountIn, deal.tokenIn.decimals)} {deal.tokenIn.symbol}
      <span aria-label="to"> → </span>
      <Logo token={deal.tokenOut} size={22} /> {short(deal.expected, deal.tokenOut.decimals)} {deal.tokenOut.symbol}
    </p>
  );
}

function Steps({ step, approves, token }: { step: Step; approves: boolean; token: string }) {
  const rows: [Step, string][] = [["prepare", "Preparing the transaction"]];
  if (approves) rows.push(["approve", `Allow exactly this amount of ${token}, in the wallet`], ["approving", "Waiting for the approval"]);
  rows.push(["sign", "Confirm the swap in the wallet"], ["sent", "Waiting for the chain"]);
  const at = order.indexOf(step);
  return (
    <ol class="steps">
      {rows.map(([name, text]) => {
        const place = order.indexOf(name);
        return (
          <li key={name} class={place < at ? "past" : place === at ? "now" : ""} aria-current={place === at ? "step" : false}>
            <i aria-hidden="true">{place < at && <Tick />}</i> {text}
          </li>
        );
      })}
    </ol>
  );
}

function Receipt({ deal: { tokenOut }, result }: { deal: Deal; result: Result }) {
  const { quoted, received, minimum } = result;
  const figure = (raw: bigint) => `${exact(raw, tokenOut.decimals)} ${tokenOut.symbol}`;
  const bps = received !== undefined && quoted > 0n ? Number(((received - quoted) * 1_000_000n) / quoted) / 100 : 0;
  return (
    <dl class="receipt">
      <Row name="Quoted" value={figure(quoted)} />
      <Row name="Received" value={received === undefined ? "see the transaction" : figure(received)} strong />
      <Row
        name="Difference"
        value={received === quoted ? "none, to the wei" : `${bps > 0 ? "+" : ""}${bps.toFixed(2)} bps`}
        tone={received !== undefined && received >= quoted ? "good" : ""}
      />
      <Row name="Guaranteed" value={figure(minimum)} />
      <Row name="Gas" value={`${short(result.gasCost, NATIVE.decimals, 5)} MON, limit ${result.gasLimit.toLocaleString("en-US")}`} />
      <Row name="Block" value={result.block.toLocaleString("en-US")} />
      <Row name="Transaction" value={result.hash} tone="mono" />
    </dl>
  );
}

function Row({ name, value, strong, tone = "" }: { name: string; value: string; strong?: boolean; tone?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={`number ${tone}`}>{strong ? <b>{value}</b> : value}</dd>
    </div>
  );
}

const Hash = ({ hash }: { hash: string }) => <p class="soft mono address">{hash}</p>;
