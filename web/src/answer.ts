// The newest answer to the visitor's order.

import { computed, effect, signal, untracked } from "@preact/signals";
import { follow, type Problem, type Quote, type Unreachable } from "./api";
import { query } from "./order";

export type Answer =
  | { kind: "none" }
  | { kind: "quote"; quote: Quote; waiting: boolean } // waiting: it answers the order before this one
  | { kind: "failed"; error: Problem | Unreachable };

export const answer = signal<Answer>({ kind: "none" });
export const waiting = computed(() => answer.value.kind === "quote" && answer.value.waiting);
export const quote = computed(() => (answer.value.kind === "quote" ? answer.value.quote : undefined));

/** Keeps the answer that of the order, from block to block. */
export function live(): void {
  effect(() => {
    const asked = query.value;
    const stop = new AbortController();
    const before = untracked(() => answer.value);
    if (!asked) {
      answer.value = { kind: "none" };
      return undefined;
    }
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
          quote: (quote) => (answer.value = { kind: "quote", quote, waiting: false }),
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
