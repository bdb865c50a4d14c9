// Prices of tokens and the liquidity of their pools, from /market.

import { effect, signal } from "@preact/signals";
import { get, type Market, type Token } from "./api";
import { quote } from "./answer";
import { tokenIn, tokenOut } from "./order";
import { isNative, findByName } from "./tokens";

interface TokenInfo {
  priceUsd: number; // of a whole token; 0 if not known
  liquidityUsd: number;
}

const tokenInfo = signal<Map<string, TokenInfo>>(new Map());

const REFRESH_MS = 60_000;
let requestedAt = -REFRESH_MS;

/** Requests /market, at most once a minute and only while the page is visible. */
export async function refresh(): Promise<void> {
  if (document.hidden || performance.now() - requestedAt < REFRESH_MS) return;
  requestedAt = performance.now();
  const market = await get<Market>("/market").catch(() => undefined);
  if (!market) return;
  tokenInfo.value = new Map(
    market.tokens.map((token) => [token.address.toLowerCase(), { priceUsd: Number(token.priceUsd) || 0, liquidityUsd: Number(token.liquidityUsd) || 0 }]),
  );
}

/** Keeps prices up to date. They are requested after the first quote, so as not to delay it. */
export function followPrices(): void {
  effect(() => {
    if (!quote.value) return undefined;
    void refresh();
    const timer = setInterval(() => void refresh(), REFRESH_MS);
    return () => clearInterval(timer);
  });
}

const infoOf = (token: Token): TokenInfo | undefined => {
  const priced = isNative(token) ? findByName("WMON") : token;
  return priced && tokenInfo.value.get(priced.address.toLowerCase());
};

export const liquidity = (token: Token): number | undefined => infoOf(token)?.liquidityUsd;

/** The price of a whole token in USD, from the quote or else from the market. */
export function price(token: Token): number | undefined {
  const q = quote.value;
  const whole = (raw: string) => Number(raw) / 10 ** token.decimals;
  const quoted = !q
    ? 0
    : token.address === tokenIn.value.address
      ? Number(q.amountInUsd) / whole(q.amountIn)
      : token.address === tokenOut.value?.address
        ? Number(q.amountOutUsd) / whole(q.amountOut)
        : 0;
  return quoted > 0 && Number.isFinite(quoted) ? quoted : infoOf(token)?.priceUsd || undefined;
}

/** The value of an amount in USD, if a price is known. */
export function value(raw: bigint, token: Token): number | undefined {
  const unitPrice = price(token);
  return unitPrice === undefined ? undefined : (Number(raw) / 10 ** token.decimals) * unitPrice;
}

/** The amount that a value in USD buys, truncated to six digits; a suggestion, not a quote. */
export function forDollars(usd: number, token: Token): bigint | undefined {
  const unitPrice = price(token);
  if (!unitPrice) return undefined;
  const [digits = "0", power = "0"] = (usd / unitPrice).toExponential(5).split("e");
  const shift = Number(power) - 5 + token.decimals;
  const whole = BigInt(digits.replace(".", ""));
  const raw = shift >= 0 ? whole * 10n ** BigInt(shift) : whole / 10n ** BigInt(-shift);
  return raw > 0n && raw < 1n << 256n ? raw : undefined;
}
