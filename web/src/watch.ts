// Waiting for what was sent, in this visit of the page or an earlier one.

import { effect } from "@preact/signals";
import { decodeEventLog, encodeEventTopics } from "viem";
import { abi } from "../../contracts/out/Router.json";
import { pause } from "./api";
import { paid, type Receipt } from "./chain";
import { local, localProvider } from "./local";
import { announce } from "./toasts";
import { chainName, find, isPending, pending, put, type Entry } from "./transactions";
import { CHAIN, wallets, type Provider } from "./wallet";

type Hex = `0x${string}`;

/** What this page waits for already. */
const watched = new Set<string>();

/** Says that whoever made an entry waits for it. */
export const claim = (id: string): void => void watched.add(id);

/** Waits until an entry is over, however long that takes. */
export async function settle(id: string, provider: Provider): Promise<Entry | undefined> {
  claim(id);
  for (let wait = 60; ; wait = Math.min(wait * 1.5, 1000)) {
    const entry = find(id);
    if (!entry || !isPending(entry)) return entry;
    const ask = (method: string, params: unknown[]) => provider.request({ method, params });
    const found = await (entry.state === "asked" ? search(entry, ask) : receiptOf(entry, ask)).catch(() => undefined);
    if (found) {
      const over = concluded(find(id) ?? entry, found);
      put(over);
      return over;
    }
    await pause(wait);
  }
}

type Ask = (method: string, params: unknown[]) => Promise<unknown>;

async function receiptOf(entry: Entry, ask: Ask): Promise<Receipt | undefined> {
  if (entry.hash) return ((await ask("eth_getTransactionReceipt", [entry.hash])) as Receipt | null) ?? undefined;
  const { status, receipts } = (await ask("wallet_getCallsStatus", [entry.batch])) as { status: number; receipts?: Receipt[] };
  const last = receipts?.at(-1);
  if (status === 200 && last) return last;
  if (status >= 400) put({ ...entry, state: "failed" });
  return undefined;
}

/** Blocks that one question about logs spans: nodes allow not many. */
const SPAN = 100;

/**
 * Looks for a swap that the wallet was asked to sign when the page was closed:
 * its hash is not known, but the Router tells of each swap who sent it.
 */
async function search(entry: Entry, ask: Ask): Promise<Receipt | undefined> {
  if (Number(await ask("eth_chainId", [])) !== CHAIN) return undefined;
  const { number, timestamp } = (await ask("eth_getBlockByNumber", ["latest", false])) as { number: Hex; timestamp: Hex };
  const newest = Number(number);
  const to = Math.min(entry.fromBlock + SPAN, newest);
  if (to <= entry.fromBlock) return undefined;
  const topics = encodeEventTopics({ abi, eventName: "Swapped", args: { sender: entry.account as Hex } });
  const hex = (block: number) => `0x${block.toString(16)}`;
  const logs = (await ask("eth_getLogs", [{ address: entry.router, fromBlock: hex(entry.fromBlock + 1), toBlock: hex(to), topics: topics.slice(0, 2) }])) as {
    topics: [Hex, ...Hex[]];
    data: Hex;
    transactionHash: Hex;
  }[];
  for (const { topics, data, transactionHash } of logs) {
    const { args } = decodeEventLog({ abi, topics, data }) as unknown as { args: { amountIn: bigint; minOut: bigint; recipient: string } };
    const equal = String(args.amountIn) === entry.amountIn && String(args.minOut) === entry.minimum && args.recipient.toLowerCase() === entry.recipient.toLowerCase();
    if (equal) return (await ask("eth_getTransactionReceipt", [transactionHash])) as Receipt;
  }
  // Behind its deadline the Router refuses it: there is nothing left to wait for.
  if (to === newest && Number(timestamp) > entry.deadline) put({ ...entry, state: "lost" });
  else put({ ...entry, fromBlock: to });
  return undefined;
}

/** The entry with what the receipt says. */
function concluded(entry: Entry, receipt: Receipt): Entry {
  const well = Number(receipt.status) === 1;
  return {
    ...entry,
    state: well ? "done" : "failed",
    hash: receipt.transactionHash,
    block: Number(receipt.blockNumber),
    received: (well && entry.kind === "swap" && paid(receipt, entry.router as Hex)?.toString()) || "",
    gasCost: (BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)).toString(),
  };
}

/** Takes up what an earlier visit left, through the wallet that sent it: it need not be connected for that. */
export function resume(): void {
  effect(() => {
    if (!chainName.value) return;
    for (const entry of pending.value) {
      const provider = wallets.value.find(({ id }) => id === entry.wallet)?.provider ?? (local ? localProvider : undefined);
      if (!provider || watched.has(entry.id)) continue;
      void settle(entry.id, provider).then((over) => over && announce(over));
    }
  });
}
