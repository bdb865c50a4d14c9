// Waiting for what was sent, in this visit of the page or an earlier one.

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

/** What this page waits for already. */
const watched = new Set<string>();

/** Says that whoever made an entry waits for it. */
export const markWatched = (id: string): void => void watched.add(id);

/** Waits until an entry is over, however long that takes. */
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

/** Blocks that one question about logs spans: nodes allow not many. */
const MAX_LOG_BLOCKS = 100;

/**
 * Looks for a swap that the wallet was asked to sign when the page was closed:
 * its hash is not known, but the Router tells of each swap who sent it.
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
  // Behind its deadline the Router refuses it: there is nothing left to wait for.
  if (lastBlock === newest && Number(timestamp) > entry.deadline) put({ ...entry, state: "lost" });
  else put({ ...entry, fromBlock: lastBlock });
  return undefined;
}

/** The entry with what the receipt says. */
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

/** Takes up what an earlier visit left, through the wallet that sent it: it need not be connected for that. */
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
