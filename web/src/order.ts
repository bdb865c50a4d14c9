// The order: what the user wants to swap, with the settings.

import { batch, computed, effect, signal, type Signal } from "@preact/signals";
import { exact } from "./amount";
import type { Query, Token } from "./api";
import { parseAmount } from "./interpret";
import { fetchToken, findByName, NATIVE, addRecent } from "./tokens";

export const tokenIn = signal<Token>(NATIVE);
export const tokenOut = signal<Token | undefined>(undefined);
export const amountText = signal("");
export const slippageBps = signal(stored("slippageBps", 50, (value) => Number.isInteger(value) && value >= 0 && value <= 5000));
export const excluded = signal(stored<string[]>("excluded", [], (value) => Array.isArray(value) && value.every((id) => typeof id === "string")));
export const recipient = signal(""); // empty: the connected account

/** A setting from local storage, which may hold anything. */
function stored<T>(key: string, otherwise: T, valid: (value: T) => boolean): T {
  try {
    const value = JSON.parse(localStorage.getItem(key) ?? "") as T;
    return valid(value) ? value : otherwise;
  } catch {
    return otherwise;
  }
}

/** The parsed text of the amount field. */
export const parsedAmount = computed(() => parseAmount(amountText.value, tokenIn.value));
export const amountIn = computed(() => (parsedAmount.value.kind === "amount" ? parsedAmount.value.raw : undefined));

/** The order as parameters of the API; undefined while it is incomplete. */
export const query = computed<Query | undefined>(() => {
  const out = tokenOut.value;
  if (!out || !amountIn.value) return undefined;
  return {
    tokenIn: tokenIn.value.address,
    tokenOut: out.address,
    amount: amountIn.value.toString(),
    slippageBps: String(slippageBps.value),
    excludeSources: excluded.value.join(","),
  };
});

/** What is wrong with the order in the page's link, as sentences for the user. */
export const linkErrors = signal<string[]>([]);

/** Sets the order to that of the page's link, or to the default. */
export function applyLink(): void {
  const parameters = new URLSearchParams(location.search);
  const [into, out] = [parameters.get("in") ?? "MON", parameters.get("out") ?? (parameters.get("in") === "USDC" ? "MON" : "USDC")];
  // In a link, written by programs, a single point is a decimal separator.
  const amount = (parameters.get("amount") ?? "1000").replace(/^(\d{1,3}\.\d{3})$/, "$10");
  batch(() => {
    linkErrors.value = [];
    tokenIn.value = findByName(into) ?? NATIVE;
    tokenOut.value = findByName(out);
    amountText.value = findByName(into) ? amount : "";
    if (tokenOut.value?.address === tokenIn.value.address) {
      tokenOut.value = undefined;
      linkErrors.value = ["The link names the same token to pay and to receive. Choose another."];
    }
  });
  if (!findByName(into)) void applyUnlisted(into, tokenIn, () => (amountText.value = amount));
  if (!findByName(out)) void applyUnlisted(out, tokenOut);
}

/** Sets a token that is not in the token list but may be in the market. */
async function applyUnlisted(name: string, side: Signal<Token> | Signal<Token | undefined>, then = () => {}): Promise<void> {
  const before = side.value;
  const found = await fetchToken(name);
  if (side.value !== before) return; // the user has chosen another meanwhile
  if (found) batch(() => ((side.value = found), then()));
  else linkErrors.value = [...linkErrors.value, `${name.slice(0, 64) || "Nothing"} is not a token of this market. The link names it ${side === tokenIn ? "to pay with" : "to receive"}: choose another.`];
}

/** Stores the settings in the browser and the order in the page's address. */
export function persist(): void {
  effect(() => {
    localStorage.setItem("slippageBps", JSON.stringify(slippageBps.value));
    localStorage.setItem("excluded", JSON.stringify(excluded.value));
  });
  effect(() => {
    const out = tokenOut.value;
    if (out) history.replaceState(null, "", `?${new URLSearchParams({ in: linkName(tokenIn.value), out: linkName(out), amount: amountText.value })}`);
  });
}

const linkName = (token: Token) => (findByName(token.symbol) === token ? token.symbol : token.address);

/** Rounds an amount down to six significant digits. */
export function toSixDigits(raw: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(raw.toString().length - 6, 0));
  return (raw / unit) * unit;
}

/** Writes an amount into the field, in a form that is not ambiguous. */
export function setAmount(raw: bigint, decimals = tokenIn.value.decimals): void {
  amountText.value = exact(raw, decimals).replace(/^([1-9]\d{0,2}\.\d{3})$/, "$10");
}

export function choose(side: "in" | "out", token: Token): void {
  batch(() => {
    const [chosenSide, otherSide] = side === "in" ? [tokenIn, tokenOut] : [tokenOut, tokenIn];
    if (otherSide.value?.address === token.address && chosenSide.value) otherSide.value = chosenSide.value;
    chosenSide.value = token;
    linkErrors.value = [];
  });
  addRecent(token);
}
