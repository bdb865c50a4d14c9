// What the visitor wants.

import { batch, computed, effect, signal } from "@preact/signals";
import { exact, parse } from "./amount";
import { quote, waiting } from "./answer";
import type { Query, Token } from "./api";
import { named, NATIVE } from "./tokens";

export const tokenIn = signal<Token>(NATIVE);
export const tokenOut = signal<Token | undefined>(undefined);
export const typed = signal("");
export const slippageBps = signal(stored("slippageBps", 50));
export const excluded = signal<string[]>(stored("excluded", []));
export const recipient = signal(""); // empty: the connected account

function stored<T>(key: string, otherwise: T): T {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? "") as T) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export const amountIn = computed(() => parse(typed.value, tokenIn.value.decimals));

/** The order as the API takes it; undefined while there is nothing to ask. */
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

/** Opens the order the address names, or the usual one. */
export function open(): void {
  const asked = new URLSearchParams(location.search);
  tokenIn.value = named(asked.get("in") ?? "MON") ?? NATIVE;
  tokenOut.value = named(asked.get("out") ?? "USDC");
  if (tokenOut.value?.address === tokenIn.value.address) tokenOut.value = undefined;
  const amount = asked.get("amount") ?? "1000";
  typed.value = parse(amount, tokenIn.value.decimals) ? amount : "";
}

/** Keeps the settings in the browser, and the order in the address. */
export function remember(): void {
  effect(() => {
    localStorage.setItem("slippageBps", JSON.stringify(slippageBps.value));
    localStorage.setItem("excluded", JSON.stringify(excluded.value));
  });
  effect(() => {
    const out = tokenOut.value;
    if (out) history.replaceState(null, "", `?${new URLSearchParams({ in: name(tokenIn.value), out: name(out), amount: typed.value })}`);
  });
}

const name = (token: Token) => (named(token.symbol) === token ? token.symbol : token.address);

export function flip(): void {
  const out = tokenOut.value;
  if (!out) return;
  const got = quote.value && !waiting.value ? quote.value.amountOut : undefined;
  batch(() => {
    tokenOut.value = tokenIn.value;
    tokenIn.value = out;
    if (got) typed.value = roughly(BigInt(got), out.decimals);
  });
}

/** Six digits of an amount are enough to go on with. */
function roughly(raw: bigint, decimals: number): string {
  const unit = 10n ** BigInt(Math.max(raw.toString().length - 6, 0));
  return exact((raw / unit) * unit, decimals);
}

export function choose(side: "in" | "out", token: Token): void {
  batch(() => {
    const [mine, other] = side === "in" ? [tokenIn, tokenOut] : [tokenOut, tokenIn];
    if (other.value?.address === token.address && mine.value) other.value = mine.value;
    mine.value = token;
  });
}
