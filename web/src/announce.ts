// The quote for those who listen: told when it answers something new, and
// again when it has changed, but not at every block.

import { effect, signal, untracked } from "@preact/signals";
import { short } from "./amount";
import { answer } from "./answer";
import { query, tokenIn, tokenOut } from "./order";

/** The least time between two announcements of the same order. */
const PAUSE_MS = 30_000;

export const announcement = signal("");

export function announce(): void {
  let order = "";
  let at = 0;
  effect(() => {
    const [now, asked, out] = [answer.value, JSON.stringify(query.value), tokenOut.value];
    if (now.kind !== "quote" || now.waiting || !out) return;
    if (asked === order && performance.now() - at < PAUSE_MS) return;
    const { symbol, decimals } = untracked(() => tokenIn.value);
    const text = `${short(BigInt(now.quote.amountIn), decimals, 9)} ${symbol} buys ${short(BigInt(now.quote.amountOut), out.decimals, 6)} ${out.symbol}`;
    if (text === untracked(() => announcement.value)) return;
    [order, at] = [asked, performance.now()];
    announcement.value = text;
  });
}
