// The price impact of a swap, and a smaller amount with less of it.

import { computed, effect, signal } from "@preact/signals";
import { get, Problem, type Depth, type Quote } from "./api";
import { depth } from "./depth";
import { quote, waiting } from "./answer";
import { amountIn, excluded, query, recipient, tokenIn, tokenOut } from "./order";
import { account } from "./wallet";

/** The form marks an impact from the first on and warns of one from the second on, in basis points. */
export const NOTABLE_IMPACT_BPS = 100;
export const HIGH_IMPACT_BPS = 1000;

/** A value received above this multiple of the value paid means that one of the prices is wrong. */
const SUSPICIOUS_RATIO = 1.05;

export const suspiciousGain = computed(() => {
  const q = quote.value;
  const [paid, got] = q ? [Number(q.amountInUsd), Number(q.amountOutUsd)] : [0, 0];
  return paid > 0 && got > paid * SUSPICIOUS_RATIO ? got / paid - 1 : undefined;
});

// The service refuses swaps above an impact that its operator chooses. These are the
// largest impact that it has accepted and the smallest that it has refused.
const acceptedBps = signal(0);
const refusedBps = signal(Infinity);

const impact = computed(() => (quote.value && !waiting.value ? quote.value.priceImpactBps : 0));

/** Whether the service accepts a swap of this impact. */
export const guard = computed(() => (impact.value <= acceptedBps.value || impact.value < HIGH_IMPACT_BPS ? "allows" : impact.value >= refusedBps.value ? "refuses" : "checking"));

/** Asks the service about an impact between the accepted and the refused ones. */
export function checkGuard(): void {
  effect(() => {
    const [order, to, bps] = [query.value, recipient.value.trim() || account.value, impact.value];
    if (guard.value !== "checking" || !order || !to) return undefined;
    const controller = new AbortController();
    get<Quote>("/swap", { ...order, recipient: to }, controller.signal).then(
      (swap) => (acceptedBps.value = Math.max(acceptedBps.value, swap.priceImpactBps, bps)),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        if (error instanceof Problem && error.code === "PRICE_IMPACT_TOO_HIGH") refusedBps.value = Math.min(refusedBps.value, bps);
        else acceptedBps.value = Math.max(acceptedBps.value, bps); // another error: the confirmation dialog will show it
      },
    );
    return () => controller.abort();
  });
}

/** A smaller amount whose quote has an impact below NOTABLE_IMPACT_BPS. */
export const smallerAmount = signal<{ amount: bigint; bps: number } | undefined>(undefined);

/** Two neighbouring amounts of the depth curve between which the impact reaches NOTABLE_IMPACT_BPS. */
function bracket(points: Depth["points"]): [bigint, bigint] | undefined {
  const at = points.findIndex(({ priceImpactBps }) => priceImpactBps >= NOTABLE_IMPACT_BPS);
  return at > 0 ? [BigInt(points[at - 1]!.amountIn), BigInt(points[at]!.amountIn)] : undefined;
}

const BISECTIONS = 3;

/** Keeps smallerAmount up to date with the tokens and the depth curve. */
export function findSmallerAmount(): void {
  const needed = computed(() => impact.value >= NOTABLE_IMPACT_BPS);
  effect(() => {
    smallerAmount.value = undefined;
    const found = depth.value && bracket(depth.value.points);
    const out = tokenOut.value;
    if (!needed.value || !found || !out) return undefined;
    const pair = { tokenIn: tokenIn.value.address, tokenOut: out.address, excludeSources: excluded.value.join(",") };
    const controller = new AbortController();
    void bisect(found, pair, controller.signal).then((best) => !controller.signal.aborted && (smallerAmount.value = best), () => undefined);
    return () => controller.abort();
  });
}

async function bisect([low, high]: [bigint, bigint], pair: Record<string, string>, signal: AbortSignal) {
  let best: { amount: bigint; bps: number } | undefined;
  let [below, above] = [low, high];
  for (let i = 0; i <= BISECTIONS; i++) {
    // The lower amount first: the market may have moved since the curve was computed.
    const amount = threeDigits(i === 0 ? low : (below + above) / 2n);
    const { priceImpactBps: bps } = await get<Quote>("/quote", { ...pair, amount: amount.toString() }, signal);
    if (bps < NOTABLE_IMPACT_BPS) [below, best] = [amount, { amount, bps }];
    else if (i === 0) return undefined;
    else above = amount;
  }
  return best;
}

const threeDigits = (raw: bigint): bigint => {
  const unit = 10n ** BigInt(Math.max(raw.toString().length - 3, 0));
  return (raw / unit) * unit;
};

/** smallerAmount, if it is less than the amount entered. */
export const smallerOffer = computed(() => (smallerAmount.value && amountIn.value && smallerAmount.value.amount < amountIn.value ? smallerAmount.value : undefined));
