// The newest answer to the visitor's order.

import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { Problem, Quote, Unreachable } from "./api";
import { block, secondsSince, shown } from "./connection";
import { follow } from "./follow";
import { enter, query, roughly, tokenIn, tokenOut } from "./order";

/** Whether the figures on the page are those of now: only "live" ones may be acted on. */
export { connection } from "./connection";

export type Answer =
  | { kind: "none" }
  | { kind: "quote"; quote: Quote; madeAt: number; waiting: boolean } // waiting: it answers the order before this one
  | { kind: "failed"; error: Problem | Unreachable };

export const answer = signal<Answer>({ kind: "none" });
export const waiting = computed(() => answer.value.kind === "quote" && answer.value.waiting);
export const quote = computed(() => (answer.value.kind === "quote" ? answer.value.quote : undefined));

/** Seconds since the block of the quote; expiresAt is the transaction's deadline, not the quote's. */
export const quoteAge = computed(() => (answer.value.kind === "quote" ? secondsSince(answer.value.madeAt) : undefined));

function arrived(quote: Quote): void {
  const known = block.value?.number === quote.meta.blockNumber ? block.value : undefined;
  answer.value = { kind: "quote", quote, madeAt: known?.madeAt ?? performance.now(), waiting: false };
}

/** Keeps the answer that of the order, from block to block, while somebody looks. */
export function live(): void {
  effect(() => {
    const asked = query.value;
    const stop = new AbortController();
    const before = untracked(() => answer.value);
    if (!asked) {
      answer.value = { kind: "none" };
      return undefined;
    }
    if (!shown.value) return undefined;
    // The old figures stay, paler, until the new ones are there; an answer to
    // other tokens would mislead.
    const pair = `${asked.tokenIn} ${asked.tokenOut}`;
    const sameTokens = lastPair === pair;
    if (before.kind === "quote") answer.value = sameTokens ? { ...before, waiting: true } : { kind: "none" };
    const typing = sameTokens && before.kind !== "none";
    lastPair = pair;
    const timer = setTimeout(
      () =>
        void follow({ ...asked, include: "meta,why" }, {
          quote: arrived,
          fail: (error) => (answer.value = { kind: "failed", error }),
        }, stop.signal),
      typing ? 120 : 0,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  });
}

let lastPair = "";

/** Turns the order around: what it was to receive is to be paid. */
export function flip(): void {
  const out = tokenOut.value;
  if (!out) return;
  const got = quote.value && !waiting.value ? quote.value.amountOut : undefined;
  batch(() => {
    tokenOut.value = tokenIn.value;
    tokenIn.value = out;
    if (got) enter(roughly(BigInt(got)), out.decimals);
  });
}
