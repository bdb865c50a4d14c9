// The transactions sent from this page, stored in the browser so that a closed dialog or
// a reload does not lose them. Amounts are from the calldata and the receipt.

import { computed, signal } from "@preact/signals";
import type { Token } from "./api";
import { local, rpc } from "./local";
import { account } from "./wallet";

type TokenReference = Pick<Token, "address" | "symbol" | "decimals">;

export interface Entry {
  id: string;
  kind: "approval" | "swap";
  /**
   * asked: the wallet was asked to sign and has not answered; sent: there is a hash
   * or the ID of a batch; lost: it is no longer watched.
   */
  state: "asked" | "sent" | "done" | "failed" | "lost";
  chain: string;
  account: string;
  wallet: string; // its ID
  at: number; // ms since 1970
  tokenIn: TokenReference;
  tokenOut: TokenReference;
  amountIn: string;
  quoted: string;
  minimum: string;
  recipient: string;
  router: string;
  deadline: number; // s since 1970
  gasLimit: string;
  fromBlock: number; // the newest block when the wallet was asked to sign
  hash: string;
  batch: string;
  received: string;
  gasCost: string; // wei
  block: number;
}

const KEY = "transactions";
const MAX_ENTRIES = 50;

const isText = (value: unknown, form = /^.{0,100}$/s): boolean => typeof value === "string" && form.test(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isAmount = (value: unknown): boolean => isText(value, /^\d{1,78}$/);
const isOptionalAmount = (value: unknown): boolean => value === "" || isAmount(value);
const isAddress = (value: unknown): boolean => isText(value, /^0x[0-9a-fA-F]{40}$/);

const isTokenReference = (value: unknown): boolean => {
  const { address: at, symbol, decimals } = (value ?? {}) as Partial<TokenReference>;
  return isAddress(at) && isText(symbol) && isCount(decimals) && decimals! <= 255;
};

const validators: Record<keyof Entry, (value: unknown) => boolean> = {
  id: (v) => isText(v, /^.{1,100}$/),
  kind: (v) => v === "approval" || v === "swap",
  state: (v) => ["asked", "sent", "done", "failed", "lost"].includes(v as string),
  chain: (v) => isText(v, /^.{1,100}$/),
  account: isAddress,
  wallet: (v) => isText(v),
  at: isCount,
  tokenIn: isTokenReference,
  tokenOut: isTokenReference,
  amountIn: isAmount,
  quoted: isAmount,
  minimum: isAmount,
  recipient: isAddress,
  router: isAddress,
  deadline: isCount,
  gasLimit: isAmount,
  fromBlock: isCount,
  hash: (v) => isText(v, /^(0x[0-9a-f]{64})?$/i),
  batch: (v) => isText(v, /^.{0,5000}$/),
  received: isOptionalAmount,
  gasCost: isOptionalAmount,
  block: isCount,
};

/** Decodes stored entries. Storage may hold anything: only complete, valid entries are kept. */
export function decode(stored: string | null): Entry[] {
  try {
    const list: unknown = JSON.parse(stored ?? "[]");
    if (!Array.isArray(list)) return [];
    const entries = list.filter((one: Record<string, unknown> | null) => one && Object.entries(validators).every(([name, valid]) => valid(one[name])));
    return (entries as Entry[]).slice(0, MAX_ENTRIES);
  } catch {
    return [];
  }
}

/** The entries in storage, which another tab may have written; undefined if storage is disabled. */
function readStored(): Entry[] | undefined {
  try {
    return decode(localStorage.getItem(KEY));
  } catch {
    return undefined;
  }
}

const all = signal<Entry[]>(readStored() ?? []);

addEventListener("storage", (event) => event.key === KEY && (all.value = readStored() ?? all.value));

function store(entries: Entry[]): void {
  all.value = entries;
  try {
    localStorage.setItem(KEY, JSON.stringify(entries));
  } catch {
    // Storage is full or disabled: the entries are kept until the page is closed.
  }
}

/** At most MAX_ENTRIES, newest first: the oldest finished ones are removed, then the oldest. */
export function limited(entries: Entry[]): Entry[] {
  const excess = entries.length - MAX_ENTRIES;
  if (excess <= 0) return entries;
  const removed = entries.filter((entry) => !isPending(entry)).slice(-excess);
  return entries.filter((entry) => !removed.includes(entry)).slice(0, MAX_ENTRIES);
}

const without = (id: string): Entry[] => (readStored() ?? all.value).filter((entry) => entry.id !== id);

/** Adds an entry, or replaces the one with its ID. */
export function put(entry: Entry): void {
  const others = without(entry.id);
  const older = others.findIndex(({ at }) => at <= entry.at);
  store(limited(older < 0 ? [...others, entry] : others.toSpliced(older, 0, entry)));
}

export const remove = (id: string): void => store(without(id));

export const find = (id: string): Entry | undefined => all.value.find((entry) => entry.id === id);

export const isPending = ({ state }: Pick<Entry, "state">): boolean => state === "asked" || state === "sent";

/** The chain of new entries. A local chain has the chain ID of Monad, so it is identified by the hash of its first block. */
export const chainKey = signal(local ? "" : "143");

const same = (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase();
const ofThisChain = computed(() => all.value.filter(({ chain }) => chain === chainKey.value));

/** The entries of the connected account, and all pending ones. */
export const entries = computed(() => ofThisChain.value.filter((entry) => same(entry.account, account.value) || isPending(entry)));
export const pending = computed(() => ofThisChain.value.filter(isPending));

/** The newest pending entry of the connected account, or of any if none is connected. */
export const pendingEntry = computed(() => pending.value.find((entry) => !account.value || same(entry.account, account.value)));

/**
 * Identifies the chain. A local chain that was restarted has the same first block, so
 * entries whose transaction it does not know are removed.
 */
export async function identifyChain(): Promise<void> {
  if (!local) return;
  const first = (await rpc("eth_getBlockByNumber", ["0x0", false])) as { hash: string };
  const newest = Number(await rpc("eth_blockNumber"));
  for (const { id, hash, block, fromBlock, chain } of all.value) {
    if (chain !== first.hash) continue;
    const known = hash ? await rpc("eth_getTransactionByHash", [hash]) : fromBlock <= newest && block <= newest;
    if (!known) remove(id);
  }
  chainKey.value = first.hash;
}
