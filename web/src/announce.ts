// Announces the quote to screen readers: at once for a new order, and when the quote
// of the same order changes, at most once per interval.

import { effect, signal, untracked } from "@preact/signals";
import { short } from "./amount";
import { answer } from "./answer";
import { query, tokenIn, tokenOut } from "./order";

/** The shortest time between two announcements of the same order. */
const MIN_INTERVAL_MS = 30_000;

export const announcement = signal("");

export function startAnnouncing(): void {
  let announcedOrder = "";
  let announcedAt = 0;
  effect(() => {
    const [current, order, out] = [answer.value, JSON.stringify(query.value), tokenOut.value];
    if (current.kind !== "quote" || current.waiting || !out) return;
    if (order === announcedOrder && performance.now() - announcedAt < MIN_INTERVAL_MS) return;
    const { symbol, decimals } = untracked(() => tokenIn.value);
    const text = `${short(BigInt(current.quote.amountIn), decimals, 9)} ${symbol} buys ${short(BigInt(current.quote.amountOut), out.decimals, 6)} ${out.symbol}`;
    if (text === untracked(() => announcement.value)) return;
    [announcedOrder, announcedAt] = [order, performance.now()];
    announcement.value = text;
  });
}
