// Waits for transactions that were sent, on this visit to the page or an earlier one.

import { effect } from "@preact/signals";
import { decodeEventLog, encodeEventTopics } from "viem";
import { abi } from "../../contracts/out/Router.json";
import { delay } from "./api";
import { amountPaid, type Receipt } from "./chain";
import { local, localProvider } from "./local";
import { toastEntry } from "./toasts";
import { chainKey, find, isPending, pending, put, type Entry } from "./transactions";
import type { Provider } from "./provider";
import { CHAIN_ID, wallets } from "./wallet";

type Hex = `0x${string}`;

/** IDs of the entries that this page waits for. */
const watched = new Set<string>();

/** Records that the caller waits for an entry, so that resume does not. */
export const markWatched = (id: string): void => void watched.add(id);

/** Waits until an entry is finished, without a time limit. */
export async function waitFor(id: string, provider: Provider): Promise<Entry | undefined> {
  markWatched(id);
  for (let wait = 60; ; wait = Math.min(wait * 1.5, 1000)) {
    const entry = find(id);
    if (!entry || !isPending(entry)) return entry;
    const call = (method: string, params: unknown[]) => provider.request({ method, params });
    const found = await (entry.state === "asked" ? findSwap(entry, call) : receiptOf(entry, call)).catch(() => undefined);
    if (found) {
      const finished = withReceipt(find(id) ?? entry, found);
      put(finished);
      return finished;
    }
    await delay(wait);
  }
}

type Call = (method: string, params: unknown[]) => Promise<unknown>;

async function receiptOf(entry: Entry, call: Call): Promise<Receipt | undefined> {
  if (entry.hash) return ((await call("eth_getTransactionReceipt", [entry.hash])) as Receipt | null) ?? undefined;
  const { status, receipts } = (await call("wallet_getCallsStatus", [entry.batch])) as { status: number; receipts?: Receipt[] };
  const last = receipts?.at(-1);
  if (status === 200 && last) return last;
  if (status >= 400) put({ ...entry, state: "failed" });
  return undefined;
}

/** The longest range of blocks in one eth_getLogs request: nodes limit it. */
const MAX_LOG_BLOCKS = 100;

/**
 * Finds a swap that the wallet was asked to sign when the page was closed. Its hash
 * is not known, but the Router emits an event with the sender of each swap.
 */
async function findSwap(entry: Entry, call: Call): Promise<Receipt | undefined> {
  if (Number(await call("eth_chainId", [])) !== CHAIN_ID) return undefined;
  const { number, timestamp } = (await call("eth_getBlockByNumber", ["latest", false])) as { number: Hex; timestamp: Hex };
  const newest = Number(number);
  const lastBlock = Math.min(entry.fromBlock + MAX_LOG_BLOCKS, newest);
  if (lastBlock <= entry.fromBlock) return undefined;
  const topics = encodeEventTopics({ abi, eventName: "Swapped", args: { sender: entry.account as Hex } });
  const hex = (block: number) => `0x${block.toString(16)}`;
  const logs = (await call("eth_getLogs", [{ address: entry.router, fromBlock: hex(entry.fromBlock + 1), toBlock: hex(lastBlock), topics: topics.slice(0, 2) }])) as {
    topics: [Hex, ...Hex[]];
    data: Hex;
    transactionHash: Hex;
  }[];
  for (const { topics, data, transactionHash } of logs) {
    const { args } = decodeEventLog({ abi, topics, data }) as unknown as { args: { amountIn: bigint; minOut: bigint; recipient: string } };
    const equal = String(args.amountIn) === entry.amountIn && String(args.minOut) === entry.minimum && args.recipient.toLowerCase() === entry.recipient.toLowerCase();
    if (equal) return (await call("eth_getTransactionReceipt", [transactionHash])) as Receipt;
  }
  // After its deadline the Router rejects the swap: it can no longer happen.
  if (lastBlock === newest && Number(timestamp) > entry.deadline) put({ ...entry, state: "lost" });
  else put({ ...entry, fromBlock: lastBlock });
  return undefined;
}

/** The entry with the result from the receipt. */
function withReceipt(entry: Entry, receipt: Receipt): Entry {
  const succeeded = Number(receipt.status) === 1;
  return {
    ...entry,
    state: succeeded ? "done" : "failed",
    hash: receipt.transactionHash,
    block: Number(receipt.blockNumber),
    received: (succeeded && entry.kind === "swap" && amountPaid(receipt, entry.router as Hex)?.toString()) || "",
    gasCost: (BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)).toString(),
  };
}

/** Waits for the pending entries of earlier visits, through the wallet that sent them, which need not be connected. */
export function resume(): void {
  effect(() => {
    if (!chainKey.value) return;
    for (const entry of pending.value) {
      const provider = wallets.value.find(({ id }) => id === entry.wallet)?.provider ?? (local ? localProvider : undefined);
      if (!provider || watched.has(entry.id)) continue;
      void waitFor(entry.id, provider).then((over) => over && toastEntry(over));
    }
  });
}
