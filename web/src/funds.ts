// How much of the account's balance can be swapped.

import { computed } from "@preact/signals";
import { get, type Quote } from "./api";
import { holdings } from "./holdings";
import { quote } from "./answer";
import { amountIn, setAmount, excluded, toSixDigits, tokenIn, tokenOut, amountText } from "./order";
import { isNative } from "./tokens";

const MON = 10n ** 18n;

/** Monad may reject a transaction that leaves less than this in an account, wei. */
export const RESERVE = 10n * MON;

/** Gas cost of a swap, in wei, before a quote states it. */
const DEFAULT_GAS_COST = MON / 10n;

/** Gas cost to set aside, in percent of the quote's: the base fee and the route may change before the swap is signed. */
const GAS_MARGIN_PERCENT = 150n;

export const balance = computed(() => holdings.value?.get(tokenIn.value.address));
const gasCost = computed(() => (quote.value ? BigInt(quote.value.meta.gasCostWei) : DEFAULT_GAS_COST));

/** The balance; of MON, less the gas cost. */
export const affordable = computed(() => {
  if (balance.value === undefined || !isNative(tokenIn.value)) return balance.value;
  return balance.value > gasCost.value ? balance.value - gasCost.value : 0n;
});

/** Whether the swap would leave less than the reserve. */
export const belowReserve = computed(
  () => isNative(tokenIn.value) && balance.value !== undefined && amountIn.value !== undefined && balance.value - amountIn.value < RESERVE + gasCost.value,
);

/** The amount of MON that Max enters, in wei: the balance less the gas cost and, if it suffices, the reserve. Rounded down to 0.0001 MON. */
export function spendable(balance: bigint, gasWei: bigint): bigint {
  const gas = (gasWei * GAS_MARGIN_PERCENT) / 100n;
  const kept = balance > RESERVE + gas ? RESERVE + gas : gas;
  const left = balance > kept ? balance - kept : 0n;
  const unit = MON / 10_000n;
  return left > unit ? (left / unit) * unit : left;
}

/** Gas cost of the route of an amount, in wei. Routes of other amounts may cost far less. */
async function gasOf(amount: bigint): Promise<bigint> {
  const [out, fallback] = [tokenOut.value, 5n * DEFAULT_GAS_COST];
  if (!out || amount === 0n) return fallback;
  const order = { tokenIn: tokenIn.value.address, tokenOut: out.address, amount: amount.toString(), excludeSources: excluded.value.join(","), include: "meta" };
  return get<Quote>("/quote", order).then((q) => BigInt(q.meta.gasCostWei), () => fallback);
}

/** Enters the largest amount that can be swapped. */
export async function enterMax(): Promise<void> {
  const [all, token, before] = [balance.value, tokenIn.value, amountText.value];
  if (all === undefined) return;
  if (!isNative(token)) return setAmount(all);
  const gas = await gasOf(spendable(all, gasCost.value));
  if (tokenIn.value === token && amountText.value === before) setAmount(spendable(all, gas));
}

/** Enters a percentage of the balance. */
export function enterShare(percent: bigint): void {
  if (balance.value === undefined || affordable.value === undefined) return;
  const part = toSixDigits((balance.value * percent) / 100n);
  setAmount(part < affordable.value ? part : affordable.value);
}
