import { computed, signal } from "@preact/signals";
import { get, type Token } from "./api";

/** The chain's native currency, with the address that the API uses for it. */
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

/** The URL of a token's logo; the native currency has that of its wrapped form. */
export const logoURL = (token: Pick<Token, "address" | "logoURI">): string =>
  token.address === NATIVE.address ? (findByName("WMON")?.logoURI ?? "") : token.logoURI;

export async function load(): Promise<void> {
  const { tokens } = await get<{ tokens: Token[] }>("/tokens", { limit: "500" });
  tokenList.value = tokens;
}

/** A token of the market by its address. The token list is limited and may not contain it. */
export async function fetchToken(address: string): Promise<Token | undefined> {
  if (!/^0x[0-9a-f]{40}$/i.test(address)) return undefined;
  const { tokens } = await get<{ tokens: Token[] }>("/tokens", { search: address, limit: "1" }).catch(() => ({ tokens: [] }));
  const token = tokens.find((found) => found.address.toLowerCase() === address.toLowerCase());
  if (token && !find(address)) tokenList.value = [...tokenList.value, token];
  return token && find(address);
}

// Tokens that the user has chosen before, by address.
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
    // Storage is full or disabled: the list is kept until the page is closed.
  }
};

export const recent = signal(loadAddresses("recent"));
export const favourites = signal(loadAddresses("favourites"));
const accepted = signal(loadAddresses("accepted"));

export const addRecent = ({ address }: Token): void =>
  save("recent", (recent.value = [address, ...recent.value.filter((other) => other !== address)].slice(0, 6)));

export const toggleFavourite = ({ address }: Token): void =>
  save("favourites", (favourites.value = favourites.value.includes(address) ? favourites.value.filter((other) => other !== address) : [...favourites.value, address].slice(-50)));

/** Whether the user was warned about an unverified token and has accepted it. */
export const isAccepted = (token: Token): boolean => token.isVerified || accepted.value.includes(token.address);
export const accept = ({ address }: Token): void => save("accepted", (accepted.value = [...accepted.value, address].slice(-50)));

/** The token with that address, or the verified one with that symbol. */
export function findByName(name: string): Token | undefined {
  return find(name) ?? [NATIVE, ...tokenList.value].find((token) => token.isVerified && token.symbol.toLowerCase() === name.toLowerCase());
}

/** Tokens for the picker: equal symbols first, then symbols that begin with the text, then those that contain it. */
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
