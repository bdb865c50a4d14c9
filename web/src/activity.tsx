// The list of transactions sent from this page, and their details.

import { batch, signal } from "@preact/signals";
import { short } from "./amount";
import { Dialog } from "./dialog";
import { Clock } from "./icons";
import { setAmount, tokenIn, tokenOut } from "./order";
import { Hash, Receipt } from "./receipt";
import { stage, dialogOpen } from "./send";
import { shownEntry } from "./toasts";
import { find as token } from "./tokens";
import { pendingEntry, entries, find, isPending, pending, put, type Entry } from "./transactions";

const listOpen = signal(false);

/** Opens the list, and shows how many transactions are pending. */
export function ActivityButton() {
  const count = pending.value.length || (stage.value.kind === "working" ? 1 : 0);
  return (
    <>
      <button type="button" class={count ? "activity pending" : "icon activity"} aria-label={count ? `Transactions: ${count} pending` : "Transactions"} onClick={() => (listOpen.value = true)}>
        {count ? <i aria-hidden="true" /> : <Clock />}
        {count ? <span>{count} pending</span> : null}
      </button>
      {listOpen.value && <List />}
      {shownEntry.value !== undefined && <Detail />}
    </>
  );
}

const outcome = ({ kind, state }: Entry): [words: string, tone: string] =>
  state === "done"
    ? [kind === "approval" ? "approved" : "swapped", "good"]
    : state === "failed"
      ? ["failed", "bad"]
      : state === "lost"
        ? ["not followed", "soft"]
        : [state === "asked" ? "in your wallet" : "pending", "warn"];

const describe = ({ kind, amountIn, tokenIn, tokenOut, received, quoted }: Entry): string => {
  const paidText = `${short(BigInt(amountIn), tokenIn.decimals)} ${tokenIn.symbol}`;
  return kind === "approval" ? `Approval of ${paidText}` : `${paidText} → ${short(BigInt(received || quoted), tokenOut.decimals)} ${tokenOut.symbol}`;
};

function List() {
  const close = () => (listOpen.value = false);
  return (
    <Dialog title="Transactions" close={close} class="small">
      {entries.value.length ? (
        <ul class="activities">
          {entries.value.map((entry) => (
            <li key={entry.id}>
              <button type="button" onClick={() => (close(), (shownEntry.value = entry.id))}>
                <span class="number">{describe(entry)}</span>
                <small>
                  <b class={outcome(entry)[1]}>{outcome(entry)[0]}</b> <span class="soft">{new Date(entry.at).toLocaleString()}</span>
                </small>
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <p class="soft">What you swap is listed here. It is kept in this browser only.</p>
      )}
    </Dialog>
  );
}

/** Copies the order of an entry into the form. */
export function repeat(entry: Entry): void {
  const [tokenPaid, tokenReceived] = [token(entry.tokenIn.address), token(entry.tokenOut.address)];
  if (!tokenPaid || !tokenReceived) return;
  batch(() => {
    tokenIn.value = tokenPaid;
    tokenOut.value = tokenReceived;
    setAmount(BigInt(entry.amountIn));
  });
}

const advice = (entry: Entry): string => {
  if (entry.state === "asked") {
    const until = new Date(entry.deadline * 1000).toLocaleTimeString();
    return `Your wallet was asked to sign this when the page was closed. If you confirm it there it is found here; after ${until} it can no longer happen. If you declined it, stop following it.`;
  }
  if (entry.state === "sent") return entry.kind === "approval" ? "The approval waits for the chain. Nothing is swapped yet: when it is through, press Swap." : "It waits for the chain. You may close the page: it is looked for when you come back.";
  if (entry.state === "done") return entry.kind === "approval" ? "The Router may take this amount. Nothing was swapped by it." : "";
  if (entry.state === "failed") return "It was carried out but failed. Your tokens are where they were; the gas is spent.";
  return "It is not followed any more. Your wallet shows what became of it.";
};

function Detail() {
  const entry = find(shownEntry.value!);
  const close = () => (shownEntry.value = undefined);
  if (!entry) return null;
  const swapped = entry.state === "done" && entry.kind === "swap";
  const inProgress = stage.value.kind === "working" && pendingEntry.value?.id === entry.id;
  return (
    <Dialog title={swapped ? "Swapped" : entry.kind === "approval" ? "Approval" : "Swap"} close={close} class="small">
      <p class="pair number">{describe(entry)}</p>
      <div aria-live="polite">
        {swapped ? <Receipt entry={entry} /> : <p class={entry.state === "failed" ? "note bad" : "note"}>{advice(entry)}</p>}
        {!swapped && entry.recipient.toLowerCase() !== entry.account.toLowerCase() && entry.kind === "swap" && <p class="note bad address">Another address receives the tokens: {entry.recipient}.</p>}
      </div>
      {entry.hash && <Hash hash={entry.hash} />}
      {isPending(entry) && !inProgress && (
        <button type="button" class="plain tall-target" onClick={() => (put({ ...entry, state: "lost" }), close())}>
          Stop following it
        </button>
      )}
      {inProgress && (
        <button type="button" class="plain tall-target" onClick={() => (close(), (dialogOpen.value = true))}>
          Show its steps
        </button>
      )}
      {!isPending(entry) && entry.kind === "swap" && (
        <button type="button" class="action" onClick={() => (close(), repeat(entry))}>
          Swap again
        </button>
      )}
    </Dialog>
  );
}
