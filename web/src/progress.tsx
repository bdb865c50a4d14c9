// The dialog of a swap in progress.

import { short } from "./amount";
import { repeat } from "./activity";
import { Confirm } from "./confirm";
import { Dialog } from "./dialog";
import { Logo, Tick } from "./icons";
import { Hash, Receipt } from "./receipt";
import { close, stage, type Order, type Stage, type Step } from "./send";

const stepOrder: Step[] = ["approve", "approving", "sign", "sent"];

const titles: Record<Stage["kind"], string> = {
  idle: "",
  preparing: "Confirm the swap",
  proposed: "Confirm the swap",
  working: "Swapping",
  done: "Swapped",
  failed: "Not swapped",
};

export function Progress() {
  const current = stage.value;
  if (current.kind === "idle") return null;
  return (
    <Dialog title={titles[current.kind]} close={close} class="small progress">
      {current.kind !== "proposed" && <Pair order={current.order} />}
      {current.kind === "proposed" && <Confirm order={current.order} proposal={current.proposal} />}
      <div aria-live="polite">
        {current.kind === "preparing" && <p class="soft preparing">Asking for the transaction…</p>}
        {current.kind === "working" && <Steps step={current.step} needsApproval={current.needsApproval} token={current.order.tokenIn.symbol} />}
        {current.kind === "failed" && (
          <div class="note bad">
            <b>{current.explanation.title}.</b> {current.explanation.advice}
          </div>
        )}
        {current.kind === "done" && <Receipt entry={current.entry} />}
      </div>
      {current.kind === "working" && <p class="soft">You may close this: the swap goes on, and is kept under Transactions.</p>}
      {current.kind === "done" && <Hash hash={current.entry.hash} />}
      {"hash" in current && current.hash && <Hash hash={current.hash} />}
      {current.kind === "done" && (
        <div class="pair-of-buttons">
          <button type="button" class="plain" onClick={() => (close(), repeat(current.entry))}>
            Swap again
          </button>
          <button type="button" class="action" onClick={close}>
            Done
          </button>
        </div>
      )}
      {current.kind === "failed" && (
        <button type="button" class="action" onClick={close}>
          Back
        </button>
      )}
    </Dialog>
  );
}

function Pair({ order }: { order: Order }) {
  return (
    <p class="pair number">
      <Logo token={order.tokenIn} size={22} /> {short(order.amountIn, order.tokenIn.decimals)} {order.tokenIn.symbol}
      <span aria-label="to"> → </span>
      <Logo token={order.tokenOut} size={22} /> {short(order.expected, order.tokenOut.decimals)} {order.tokenOut.symbol}
    </p>
  );
}

function Steps({ step, needsApproval, token }: { step: Step; needsApproval: boolean; token: string }) {
  const rows: [Step, string][] = [];
  if (needsApproval) rows.push(["approve", `Allow exactly this amount of ${token}, in the wallet`], ["approving", "Waiting for the approval"]);
  rows.push(["sign", "Confirm the swap in the wallet"], ["sent", "Waiting for the chain"]);
  const currentIndex = stepOrder.indexOf(step);
  return (
    <ol class="steps">
      {rows.map(([name, text]) => {
        const index = stepOrder.indexOf(name);
        return (
          <li key={name} class={index < currentIndex ? "past" : index === currentIndex ? "now" : ""} aria-current={index === currentIndex ? "step" : false}>
            <i aria-hidden="true">{index < currentIndex && <Tick />}</i> {text}
          </li>
        );
      })}
    </ol>
  );
}
