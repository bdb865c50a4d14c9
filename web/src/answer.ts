// The newest answer to the visitor's order.

import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { Problem, Quote, Unreachable } from "./api";
import { block, secondsSince, visible } from "./connection";
import { subscribe } from "./subscription";
import { setAmount, query, toSixDigits, tokenIn, tokenOut } from "./order";

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

function onQuote(quote: Quote): void {
  const known = block.value?.number === quote.meta.blockNumber ? block.value : undefined;
  answer.value = { kind: "quote", quote, madeAt: known?.madeAt ?? performance.now(), waiting: false };
}

/** Keeps the answer that of the order, from block to block, while somebody looks. */
export function subscribeToQuotes(): void {
  effect(() => {
    const order = query.value;
    const abort = new AbortController();
    const before = untracked(() => answer.value);
    if (!order) {
      answer.value = { kind: "none" };
      return undefined;
    }
    if (!visible.value) return undefined;
    // The old figures stay, paler, until the new ones are there; an answer to
    // other tokens would mislead.
    const pair = `${order.tokenIn} ${order.tokenOut}`;
    const sameTokens = lastPair === pair;
    if (before.kind === "quote") answer.value = sameTokens ? { ...before, waiting: true } : { kind: "none" };
    const isEdit = sameTokens && before.kind !== "none";
    lastPair = pair;
    const timer = setTimeout(
      () =>
        void subscribe({ ...order, include: "meta,why" }, {
          onQuote,
          onError: (error) => (answer.value = { kind: "failed", error }),
        }, abort.signal),
      isEdit ? 120 : 0,
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  });
}

let lastPair = "";

/** Turns the order around: what it was to receive is to be paid. */
export function reverse(): void {
  const out = tokenOut.value;
  if (!out) return;
  const got = quote.value && !waiting.value ? quote.value.amountOut : undefined;
  batch(() => {
    tokenOut.value = tokenIn.value;
    tokenIn.value = out;
    if (got) setAmount(toSixDigits(BigInt(got)), out.decimals);
  });
}
