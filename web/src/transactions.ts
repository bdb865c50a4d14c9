// What was sent, kept in the browser so that neither a closed dialog nor a
// reload loses it. Amounts are what was signed and what the receipt says.

import { computed, signal } from "@preact/signals";
import type { Token } from "./api";
import { local, rpc } from "./local";
import { account } from "./wallet";

type Coin = Pick<Token, "address" | "symbol" | "decimals">;

export interface Entry {
  id: string;
  kind: "approval" | "swap";
  /**
   * asked: the wallet has it, and has not answered; sent: it has a hash or the
   * ID of a batch; lost: nobody watches it any more.
   */
  state: "asked" | "sent" | "done" | "failed" | "lost";
  chain: string;
  account: string;
  wallet: string; // its ID
  at: number; // ms since 1970
  tokenIn: Coin;
  tokenOut: Coin;
  amountIn: string;
  quoted: string;
  minimum: string;
  recipient: string;
  router: string;
  deadline: number; // s since 1970
  gasLimit: string;
  fromBlock: number; // the newest block when the wallet was asked
  hash: string;
  batch: string;
  received: string;
  gasCost: string; // wei
  block: number;
}

const KEY = "transactions";
const MOST = 50;

const text = (value: unknown, form = /^.{0,100}$/s): boolean => typeof value === "string" && form.test(value);
const count = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const amount = (value: unknown): boolean => text(value, /^\d{1,78}$/);
const maybe = (value: unknown): boolean => value === "" || amount(value);
const address = (value: unknown): boolean => text(value, /^0x[0-9a-fA-F]{40}$/);

const coin = (value: unknown): boolean => {
  const { address: at, symbol, decimals } = (value ?? {}) as Partial<Coin>;
  return address(at) && text(symbol) && count(decimals) && decimals! <= 255;
};

const fields: Record<keyof Entry, (value: unknown) => boolean> = {
  id: (v) => text(v, /^.{1,100}$/),
  kind: (v) => v === "approval" || v === "swap",
  state: (v) => ["asked", "sent", "done", "failed", "lost"].includes(v as string),
  chain: (v) => text(v, /^.{1,100}$/),
  account: address,
  wallet: (v) => text(v),
  at: count,
  tokenIn: coin,
  tokenOut: coin,
  amountIn: amount,
  quoted: amount,
  minimum: amount,
  recipient: address,
  router: address,
  deadline: count,
  gasLimit: amount,
  fromBlock: count,
  hash: (v) => text(v, /^(0x[0-9a-f]{64})?$/i),
  batch: (v) => text(v, /^.{0,5000}$/),
  received: maybe,
  gasCost: maybe,
  block: count,
};

/** Storage may hold anything: only what is an entry whole is one. */
export function decode(stored: string | null): Entry[] {
  try {
    const list: unknown = JSON.parse(stored ?? "[]");
    if (!Array.isArray(list)) return [];
    const entries = list.filter((one: Record<string, unknown> | null) => one && Object.entries(fields).every(([name, valid]) => valid(one[name])));
    return (entries as Entry[]).slice(0, MOST);
  } catch {
    return [];
  }
}

/** What is stored now: another tab may have written. Undefined where nothing can be stored. */
function stored(): Entry[] | undefined {
  try {
    return decode(localStorage.getItem(KEY));
  } catch {
    return undefined;
  }
}

const all = signal<Entry[]>(stored() ?? []);

addEventListener("storage", (event) => event.key === KEY && (all.value = stored() ?? all.value));

function keep(entries: Entry[]): void {
  all.value = entries;
  try {
    localStorage.setItem(KEY, JSON.stringify(entries));
  } catch {
    // No room: the page remembers as long as it is open.
  }
}

/** Newest first; of too many, the oldest that are over go. */
export function bounded(entries: Entry[]): Entry[] {
  const excess = entries.length - MOST;
  if (excess <= 0) return entries;
  const over = entries.filter((entry) => !isPending(entry)).slice(-excess);
  return entries.filter((entry) => !over.includes(entry)).slice(0, MOST);
}

const without = (id: string): Entry[] => (stored() ?? all.value).filter((entry) => entry.id !== id);

/** Adds an entry, or replaces the one of its ID. */
export function put(entry: Entry): void {
  const others = without(entry.id);
  const older = others.findIndex(({ at }) => at <= entry.at);
  keep(bounded(older < 0 ? [...others, entry] : others.toSpliced(older, 0, entry)));
}

export const drop = (id: string): void => keep(without(id));

export const find = (id: string): Entry | undefined => all.value.find((entry) => entry.id === id);

export const isPending = ({ state }: Pick<Entry, "state">): boolean => state === "asked" || state === "sent";

/** Which chain entries belong to: a local one has the ID of the real one, and is known by its first block. */
export const chainName = signal(local ? "" : "143");

const same = (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase();
const here = computed(() => all.value.filter(({ chain }) => chain === chainName.value));

/** What the connected account sent, and whatever is not over yet. */
export const entries = computed(() => here.value.filter((entry) => same(entry.account, account.value) || isPending(entry)));
export const pending = computed(() => here.value.filter(isPending));

/** What the connected account, or with none anybody here, still waits for. */
export const busy = computed(() => pending.value.find((entry) => !account.value || same(entry.account, account.value)));

/**
 * Finds out which chain this is. A local chain that was started anew has the
 * same first block: what it does not know happened on another.
 */
export async function recognise(): Promise<void> {
  if (!local) return;
  const first = (await rpc("eth_getBlockByNumber", ["0x0", false])) as { hash: string };
  const newest = Number(await rpc("eth_blockNumber"));
  for (const { id, hash, block, fromBlock, chain } of all.value) {
    if (chain !== first.hash) continue;
    const known = hash ? await rpc("eth_getTransactionByHash", [hash]) : fromBlock <= newest && block <= newest;
    if (!known) drop(id);
  }
  chainName.value = first.hash;
}
