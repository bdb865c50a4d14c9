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

export const tokenList = signal<Token[]>([]);

export const verified = computed(() => [NATIVE, ...tokenList.value.filter((token) => token.isVerified)]);

const byAddress = computed(() => new Map([NATIVE, ...tokenList.value].map((token) => [token.address.toLowerCase(), token])));

export const find = (address: string): Token | undefined => byAddress.value.get(address.toLowerCase());

/** Where a token's picture is; native has that of its wrapped form. */
export const logoURL = (token: Pick<Token, "address" | "logoURI">): string =>
  token.address === NATIVE.address ? (findByName("WMON")?.logoURI ?? "") : token.logoURI;

export async function load(): Promise<void> {
  const { tokens } = await get<{ tokens: Token[] }>("/tokens", { limit: "500" });
  tokenList.value = tokens;
}

/** A token of the market that the list, which has an end, may not hold. */
export async function fetchToken(address: string): Promise<Token | undefined> {
  if (!/^0x[0-9a-f]{40}$/i.test(address)) return undefined;
  const { tokens } = await get<{ tokens: Token[] }>("/tokens", { search: address, limit: "1" }).catch(() => ({ tokens: [] }));
  const token = tokens.find((found) => found.address.toLowerCase() === address.toLowerCase());
  if (token && !find(address)) tokenList.value = [...tokenList.value, token];
  return token && find(address);
}

// What the visitor chose before, by address.
const loadAddresses = (key: string): string[] => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter((one): one is string => typeof one === "string" && /^0x[0-9a-f]{40}$/i.test(one)).slice(0, 50) : [];
  } catch {
    return [];
  }
};
const save = (key: string, list: string[]) => {
  try {
    localStorage.setItem(key, JSON.stringify(list));
  } catch {
    // It is remembered as long as the page is open.
  }
};

export const recent = signal(loadAddresses("recent"));
export const favourites = signal(loadAddresses("favourites"));
const accepted = signal(loadAddresses("accepted"));

export const addRecent = ({ address }: Token): void =>
  save("recent", (recent.value = [address, ...recent.value.filter((other) => other !== address)].slice(0, 6)));

export const toggleFavourite = ({ address }: Token): void =>
  save("favourites", (favourites.value = favourites.value.includes(address) ? favourites.value.filter((other) => other !== address) : [...favourites.value, address].slice(-50)));

/** Whether the visitor was shown what speaks against a token, and took it all the same. */
export const isAccepted = (token: Token): boolean => token.isVerified || accepted.value.includes(token.address);
export const accept = ({ address }: Token): void => save("accepted", (accepted.value = [...accepted.value, address].slice(-50)));

/** The token of a symbol or address: verified ones first, as the API lists them. */
export function findByName(name: string): Token | undefined {
  return find(name) ?? [NATIVE, ...tokenList.value].find((token) => token.isVerified && token.symbol.toLowerCase() === name.toLowerCase());
}

/** Tokens for a picker: equal symbols, then beginnings, then whatever holds the text. */
export function search(text: string): Token[] {
  const wanted = text.trim().toLowerCase();
  const all = [NATIVE, ...tokenList.value];
  if (!wanted) return all;
  const rank = (token: Token) => {
    const symbol = token.symbol.toLowerCase();
    if (token.address.toLowerCase() === wanted || symbol === wanted) return 0;
    if (symbol.startsWith(wanted)) return 1;
    return symbol.includes(wanted) || token.name.toLowerCase().includes(wanted) ? 2 : 3;
  };
  return all.filter((token) => rank(token) < 3).sort((a, b) => rank(a) - rank(b));
}
