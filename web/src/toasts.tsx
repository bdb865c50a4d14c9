// Short messages about finished transactions, for users who have closed the dialog.

import { signal } from "@preact/signals";
import { short } from "./amount";
import { Cross } from "./icons";
import type { Entry } from "./transactions";

interface Toast {
  id: number;
  title: string;
  text: string;
  entry?: Entry;
}

const toasts = signal<Toast[]>([]);

/** The ID of the entry whose details are shown. */
export const shownEntry = signal<string | undefined>(undefined);

const DURATION_MS = 20_000;
let lastId = 0;

export function toast(title: string, text: string, entry?: Entry): void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(-2), { id, title, text, ...(entry && { entry }) }];
  setTimeout(() => dismiss(id), DURATION_MS);
}

const dismiss = (id: number) => (toasts.value = toasts.value.filter((one) => one.id !== id));

/** Shows the result of an entry. */
export function toastEntry(entry: Entry): void {
  const format = (raw: string, { symbol, decimals }: Entry["tokenIn"]) => `${short(BigInt(raw), decimals)} ${symbol}`;
  const pair = `${format(entry.amountIn, entry.tokenIn)} for ${format(entry.received || entry.quoted, entry.tokenOut)}`;
  if (entry.kind === "approval") {
    if (entry.state === "done") toast("Approved, not swapped yet", `The Router may take ${format(entry.amountIn, entry.tokenIn)}. Press Swap to go on.`, entry);
    else toast("The approval failed", "Nothing was swapped.", entry);
  } else if (entry.state === "done") toast("Swapped", `${pair}.`, entry);
  else if (entry.state === "failed") toast("Not swapped", "The transaction failed: your tokens are where they were, the gas is spent.", entry);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-label="Messages">
      {toasts.value.map(({ id, title, text, entry }) => (
        <div class="toast" key={id}>
          <p>
            <b>{title}</b> {text}
          </p>
          {entry && (
            <button type="button" class="link" onClick={() => ((shownEntry.value = entry.id), dismiss(id))}>
              Details
            </button>
          )}
          <button type="button" class="icon" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Cross />
          </button>
        </div>
      ))}
    </div>
  );
}
