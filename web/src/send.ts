// A swap from the click to the receipt.

import { signal } from "@preact/signals";
import { encodeFunctionData, erc20Abi, numberToHex } from "viem";
import { get, type Call, type Query, type Swap, type Token } from "./api";
import { allowance, request } from "./chain";
import { checkSwap, type Terms } from "./terms";
import { toastEntry, toast } from "./toasts";
import { isNative } from "./tokens";
import { chainKey, remove, put, type Entry } from "./transactions";
import { account, CHAIN_ID, isOnChain, isSameChain, switchChain, wallet } from "./wallet";
import { markWatched, waitFor } from "./watch";
import { explain, ExplainedError, type Explanation } from "./explain";

type Hex = `0x${string}`;

export type Step = "approve" | "approving" | "sign" | "sent";

export interface Order {
  tokenIn: Token;
  tokenOut: Token;
  amountIn: bigint;
  /** The minimum on the screen: a transaction with a lower one is not sent. */
  minimum: bigint;
  expected: bigint;
  recipient: string;
  query: Query;
}

/** A transaction ready to be signed, and its terms as decoded from its calldata. */
export interface Proposal {
  swap: Swap;
  terms: Terms;
  needsApproval: boolean; // before the swap
  createdAt: number; // ms since 1970
}

export type Stage =
  | { kind: "idle" }
  | { kind: "preparing"; order: Order }
  | { kind: "proposed"; order: Order; proposal: Proposal }
  | { kind: "working"; order: Order; step: Step; needsApproval: boolean; hash?: string }
  | { kind: "done"; order: Order; entry: Entry }
  | { kind: "failed"; order: Order; explanation: Explanation; hash?: string };

/** The transaction's deadline, seconds after it was created. */
export const DEADLINE_S = 600;

export const stage = signal<Stage>({ kind: "idle" });

/** Whether the dialog that shows the stage is open. A swap continues without it. */
export const dialogOpen = signal(false);

let generation = 0;

/** Requests the transaction for an order and shows it for confirmation. */
export async function propose(order: Order): Promise<void> {
  const own = ++generation;
  const show = (next: Stage) => own === generation && (stage.value = next); // the dialog may have been closed meanwhile
  show({ kind: "preparing", order });
  dialogOpen.value = true;
  try {
    if (!(await isOnChain())) await switchChain();
    if (!(await isSameChain())) {
      throw new ExplainedError({
        title: "Your wallet is on another chain with the same ID",
        advice: "This page quotes from a local chain. Give the wallet its address as the RPC of chain 143, or use the local account.",
      });
    }
    const { swap, terms } = await requestSwap(order);
    const needsApproval = !isNative(order.tokenIn) && (await allowance(order.tokenIn.address as Hex, account.value!, swap.tx.to)) < order.amountIn;
    show({ kind: "proposed", order, proposal: { swap, terms, needsApproval, createdAt: Date.now() } });
  } catch (error) {
    show({ kind: "failed", order, explanation: explain(error, order.tokenIn, order.tokenOut) });
  }
}

/** Closes the dialog. A proposal is discarded, a swap that was confirmed continues. */
export function close(): void {
  dialogOpen.value = false;
  if (stage.value.kind !== "working") {
    generation++;
    stage.value = { kind: "idle" };
  }
}

/** Sends the proposed transactions to the wallet and waits for their receipts. */
export async function execute(order: Order, { swap, terms, needsApproval }: Proposal): Promise<void> {
  let hash = "";
  let swapEntry: Entry | undefined;
  const showStep = (step: Step) => (stage.value = { kind: "working", order, step, needsApproval, ...(hash && { hash }) });
  try {
    const { provider } = wallet.value!;
    const owner = account.value!;
    const block = Number(await request("eth_blockNumber"));
    let proposal = { swap, terms };
    const batched = needsApproval && (await supportsBatches(owner));
    if (needsApproval && !batched) {
      showStep("approve");
      hash = await sendTransaction(owner, approvalCall(order, swap.tx.to));
      const entry = { ...newEntry(order, proposal, block), kind: "approval" as const, state: "sent" as const, hash };
      put(entry);
      showStep("approving");
      requireDone(await waitFor(entry.id, provider), "approval");
      hash = "";
      proposal = await requestSwap(order); // on the newest state, with the same minimum
    }
    showStep("sign");
    put((swapEntry = newEntry(order, proposal, block)));
    if (batched) {
      put((swapEntry = { ...swapEntry, state: "sent", batch: await sendBatch(owner, [approvalCall(order, swap.tx.to), swap.tx]) }));
    } else {
      hash = await sendTransaction(owner, proposal.swap.tx, proposal.swap.tx.estimatedGas);
      put((swapEntry = { ...swapEntry, state: "sent", hash }));
    }
    showStep("sent");
    const entry = requireDone(await waitFor(swapEntry.id, provider), "swap");
    stage.value = { kind: "done", order, entry };
    if (!dialogOpen.value) toastEntry(entry);
  } catch (error) {
    if (swapEntry?.state === "asked") remove(swapEntry.id); // the wallet rejected it
    const explanation = explain(error, order.tokenIn, order.tokenOut);
    stage.value = { kind: "failed", order, explanation, ...(hash && { hash }) };
    if (!dialogOpen.value) toast(explanation.title, explanation.advice);
  }
  if (!dialogOpen.value) stage.value = { kind: "idle" };
}

/** The entry of a swap that is about to be sent, with amounts from its calldata. */
function newEntry(order: Order, { swap, terms }: { swap: Swap; terms: Terms }, fromBlock: number): Entry {
  const reference = ({ address, symbol, decimals }: Token) => ({ address, symbol: symbol.slice(0, 100), decimals });
  const id = `${Date.now()}-${Math.random()}`;
  markWatched(id);
  return {
    id,
    kind: "swap",
    state: "asked",
    chain: chainKey.value,
    account: account.value!,
    wallet: wallet.value!.id.slice(0, 100),
    at: Date.now(),
    tokenIn: reference(order.tokenIn),
    tokenOut: reference(order.tokenOut),
    amountIn: String(terms.amountIn),
    quoted: swap.amountOut,
    minimum: String(terms.minOut),
    recipient: terms.recipient,
    router: swap.tx.to,
    deadline: terms.deadline,
    gasLimit: swap.tx.estimatedGas,
    fromBlock,
    hash: "",
    batch: "",
    received: "",
    gasCost: "",
    block: 0,
  };
}

/** Requests the transaction for an order and checks its calldata against the order. */
export async function requestSwap(order: Order): Promise<{ swap: Swap; terms: Terms }> {
  const swap = await get<Swap>("/swap", {
    ...order.query,
    recipient: order.recipient,
    minAmountOut: order.minimum.toString(),
    deadlineSeconds: String(DEADLINE_S),
    include: "meta",
  });
  const terms = checkSwap(swap, {
    tokenIn: order.tokenIn.address,
    tokenOut: order.tokenOut.address,
    amount: order.amountIn,
    minOut: order.minimum,
    recipient: order.recipient,
  });
  return { swap, terms };
}

/** An approval of exactly the amount in, encoded here and not by the service. */
const approvalCall = ({ tokenIn, amountIn }: Order, spender: Hex): Call => ({
  to: tokenIn.address as Hex,
  data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amountIn] }),
  value: "0",
});

const callParameters = (call: Call) => ({ to: call.to, data: call.data, value: numberToHex(BigInt(call.value)) });

/** Sends a transaction after checking the wallet's chain: on another chain the Router's address has no code and would keep the value. */
async function sendTransaction(from: Hex, call: Call, gas?: string): Promise<Hex> {
  if (!(await isOnChain())) throw new ExplainedError({ title: "Your wallet moved to another chain", advice: "Switch it back to Monad and swap again." });
  const chainId = numberToHex(CHAIN_ID);
  return (await request("eth_sendTransaction", [{ from, chainId, ...callParameters(call), ...(gas && { gas: numberToHex(BigInt(gas)) }) }])) as Hex;
}

/** Whether the wallet can execute several calls atomically (EIP-5792). */
async function supportsBatches(owner: Hex): Promise<boolean> {
  const id = numberToHex(CHAIN_ID);
  const capabilities = (await request("wallet_getCapabilities", [owner, [id]]).catch(() => ({}))) as Record<string, { atomic?: { status: string } }>;
  return ["supported", "ready"].includes(capabilities[id]?.atomic?.status ?? "");
}

/** Sends calls that are executed all or not at all, and returns the wallet's ID of the batch. */
async function sendBatch(from: Hex, calls: Call[]): Promise<string> {
  const { id } = (await request("wallet_sendCalls", [
    { version: "2.0.0", chainId: numberToHex(CHAIN_ID), from, atomicRequired: true, calls: calls.map(callParameters) },
  ])) as { id: string };
  return id;
}

/** The entry if its transaction succeeded; otherwise throws what happened to it. */
function requireDone(entry: Entry | undefined, what: string): Entry {
  if (entry?.state === "done") return entry;
  if (entry?.state === "failed") {
    throw new ExplainedError({ title: `The ${what} was carried out but failed`, advice: "Your tokens are where they were; the gas is spent. The price may have moved beyond your limit." });
  }
  throw new ExplainedError({ title: `The ${what} is not followed any more`, advice: "It may still be carried out. Your wallet shows what became of it." });
}
