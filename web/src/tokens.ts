import { computed, signal } from "@preact/signals";
import { get, type Token } from "./api";

/** The chain's own currency, by the name the API takes for it. */
export const NATIVE: Token = {
  address: "0x0000000000000000000000000000000000000000",
  symbol: "MON",
  name: "Monad",
  decimals: 18,
  logoURI: "",
  isVerified: true,
};

export const isNative = (token: Token): boolean => token.address === NATIVE.address;

export const listed = signal<Token[]>([]);

const byAddress = computed(() => new Map([NATIVE, ...listed.value].map((token) => [token.address.toLowerCase(), token])));

export const find = (address: string): Token | undefined => byAddress.value.get(address.toLowerCase());

/** Where a token's picture is; native has that of its wrapped form. */
export const picture = (token: Pick<Token, "address" | "logoURI">): string =>
  token.address === NATIVE.address ? (named("WMON")?.logoURI ?? "") : token.logoURI;

export async function load(): Promise<void> {
  const { tokens } = await get<{ tokens: Token[] }>("/tokens", { limit: "500" });
  listed.value = tokens;
}

/** The token of a symbol or address: verified ones first, as the API lists them. */
export function named(name: string): Token | undefined {
  return find(name) ?? [NATIVE, ...listed.value].find((token) => token.isVerified && token.symbol.toLowerCase() === name.toLowerCase());
}

/** Tokens for a picker: equal symbols, then beginnings, then whatever holds the text. */
export function search(text: string): Token[] {
  const wanted = text.trim().toLowerCase();
  const all = [NATIVE, ...listed.value];
  if (!wanted) return all;
  const rank = (token: Token) => {
    const symbol = token.symbol.toLowerCase();
    if (token.address.toLowerCase() === wanted || symbol === wanted) return 0;
    if (symbol.startsWith(wanted)) return 1;
    return symbol.includes(wanted) || token.name.toLowerCase().includes(wanted) ? 2 : 3;
  };
  return all.filter((token) => rank(token) < 3).sort((a, b) => rank(a) - rank(b));
}
