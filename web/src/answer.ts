// The newest answer of the service to the user's order.

import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { Problem, Quote, Unreachable } from "./api";
import { block, secondsSince, visible } from "./connection";
import { subscribe } from "./subscription";
import { setAmount, query, toSixDigits, tokenIn, tokenOut } from "./order";

/** The state of the connection: figures may be acted on only while it is "live". */
export { connection } from "./connection";

export type Answer =
  | { kind: "none" }
  | { kind: "quote"; quote: Quote; madeAt: number; waiting: boolean } // waiting: the quote is of the previous order, and that of the current one has not arrived
  | { kind: "failed"; error: Problem | Unreachable };

export const answer = signal<Answer>({ kind: "none" });
export const waiting = computed(() => answer.value.kind === "quote" && answer.value.waiting);
export const quote = computed(() => (answer.value.kind === "quote" ? answer.value.quote : undefined));

/** Seconds since the block of the quote. (expiresAt is the deadline of the transaction, not of the quote.) */
export const quoteAge = computed(() => (answer.value.kind === "quote" ? secondsSince(answer.value.madeAt) : undefined));

function onQuote(quote: Quote): void {
  const known = block.value?.number === quote.meta.blockNumber ? block.value : undefined;
  answer.value = { kind: "quote", quote, madeAt: known?.madeAt ?? performance.now(), waiting: false };
}

/** Subscribes to the quote of the current order while the page is visible. */
export function subscribeToQuotes(): void {
  effect(() => {
    const order = query.value;
    const controller = new AbortController();
    const before = untracked(() => answer.value);
    if (!order) {
      answer.value = { kind: "none" };
      return undefined;
    }
    if (!visible.value) return undefined;
    // Figures of the previous order stay, paler, until the new ones arrive, unless the
    // tokens have changed: then they would mislead.
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
        }, controller.signal),
      isEdit ? 120 : 0,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  });
}

let lastPair = "";

/** Exchanges the two tokens; the amount out of the quote becomes the amount in. */
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
