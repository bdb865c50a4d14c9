// What happens to a swap after the click.

import { short } from "./amount";
import { again } from "./activity";
import { Confirm } from "./confirm";
import { Dialog } from "./dialog";
import { Logo, Tick } from "./icons";
import { Hash, Receipt } from "./receipt";
import { close, stage, type Deal, type Stage, type Step } from "./send";

const order: Step[] = ["approve", "approving", "sign", "sent"];

const titles: Record<Stage["kind"], string> = {
  idle: "",
  preparing: "Confirm the swap",
  offered: "Confirm the swap",
  working: "Swapping",
  done: "Swapped",
  failed: "Not swapped",
};

export function Progress() {
  const now = stage.value;
  if (now.kind === "idle") return null;
  return (
    <Dialog title={titles[now.kind]} close={close} class="small progress">
      {now.kind !== "offered" && <Pair deal={now.deal} />}
      {now.kind === "offered" && <Confirm deal={now.deal} offer={now.offer} />}
      <div aria-live="polite">
        {now.kind === "preparing" && <p class="soft preparing">Asking for the transaction…</p>}
        {now.kind === "working" && <Steps step={now.step} approves={now.approves} token={now.deal.tokenIn.symbol} />}
        {now.kind === "failed" && (
          <div class="note bad">
            <b>{now.words.title}.</b> {now.words.advice}
          </div>
        )}
        {now.kind === "done" && <Receipt entry={now.entry} />}
      </div>
      {now.kind === "working" && <p class="soft">You may close this: the swap goes on, and is kept under Transactions.</p>}
      {now.kind === "done" && <Hash hash={now.entry.hash} />}
      {"hash" in now && now.hash && <Hash hash={now.hash} />}
      {now.kind === "done" && (
        <div class="pair-of-buttons">
          <button type="button" class="plain" onClick={() => (close(), again(now.entry))}>
            Swap again
          </button>
          <button type="button" class="action" onClick={close}>
            Done
          </button>
        </div>
      )}
      {now.kind === "failed" && (
        <button type="button" class="action" onClick={close}>
          Back
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
  const rows: [Step, string][] = [];
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
