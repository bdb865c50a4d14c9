// From the click to the receipt.

import { signal } from "@preact/signals";
import { encodeFunctionData, erc20Abi, numberToHex } from "viem";
import { get, pause, type Call, type Query, type Swap, type Token } from "./api";
import { allowance, mined, paid, request, type Receipt } from "./chain";
import { hold } from "./terms";
import { isNative } from "./tokens";
import { account, CHAIN, onChain, sameChain, switchChain } from "./wallet";
import { explain, Refusal, type Words } from "./words";

type Hex = `0x${string}`;

export type Step = "prepare" | "approve" | "approving" | "sign" | "sent";

export interface Result {
  hash: Hex;
  block: number;
  quoted: bigint;
  received: bigint | undefined;
  minimum: bigint;
  gasLimit: bigint;
  gasCost: bigint; // wei
}

export interface Deal {
  tokenIn: Token;
  tokenOut: Token;
  amountIn: bigint;
  /** As on the screen: the swap pays no less, or is not sent. */
  minimum: bigint;
  expected: bigint;
  recipient: string;
  query: Query;
}

export type Stage =
  | { kind: "idle" }
  | { kind: "working"; deal: Deal; step: Step; approves: boolean; hash?: Hex }
  | { kind: "done"; deal: Deal; result: Result }
  | { kind: "failed"; deal: Deal; words: Words; hash?: Hex };

export const stage = signal<Stage>({ kind: "idle" });

let turn = 0;

export async function swap(deal: Deal): Promise<void> {
  const mine = ++turn;
  // A swap that was started later has the stage.
  const show = (next: Stage) => mine === turn && (stage.value = next);
  let approves = false;
  let hash: Hex | undefined;
  const at = (step: Step) => show({ kind: "working", deal, step, approves, ...(hash && { hash }) });
  try {
    at("prepare");
    if (!(await onChain())) await switchChain();
    if (!(await sameChain())) {
      throw new Refusal({
        title: "Your wallet is on another chain with the same ID",
        advice: "This page quotes from a local chain. Give the wallet its address as the RPC of chain 143, or use the local account.",
      });
    }
    const owner = account.value!;
    let offer = await ask(deal);
    if (!isNative(deal.tokenIn) && (await allowance(deal.tokenIn.address as Hex, owner, offer.tx.to)) < deal.amountIn) {
      approves = true;
      if (await batches(owner)) {
        at("sign");
        const [receipt, id] = await sendTogether(owner, [approval(deal, offer.tx.to), offer.tx]);
        show({ kind: "done", deal, result: sum(offer, receipt, id) });
        return;
      }
      at("approve");
      hash = await send(owner, approval(deal, offer.tx.to));
      at("approving");
      expect(await mined(hash), "approval");
      hash = undefined;
      offer = await ask(deal);
    }
    at("sign");
    hash = await send(owner, offer.tx, offer.tx.estimatedGas);
    at("sent");
    show({ kind: "done", deal, result: sum(offer, await mined(hash), hash) });
  } catch (error) {
    show({ kind: "failed", deal, words: explain(error, deal.tokenIn, deal.tokenOut), ...(hash && { hash }) });
  }
}

/** The transaction for a deal, held to it byte for byte. */
export async function ask(deal: Deal): Promise<Swap> {
  const offer = await get<Swap>("/swap", {
    ...deal.query,
    recipient: deal.recipient,
    minAmountOut: deal.minimum.toString(),
    include: "meta",
  });
  hold(offer, {
    tokenIn: deal.tokenIn.address,
    tokenOut: deal.tokenOut.address,
    amount: deal.amountIn,
    minOut: deal.minimum,
    recipient: deal.recipient,
  });
  return offer;
}

/** Of just what the swap takes, in the page's own words. */
const approval = ({ tokenIn, amountIn }: Deal, spender: Hex): Call => ({
  to: tokenIn.address as Hex,
  data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amountIn] }),
  value: "0",
});

const prepared = (call: Call) => ({ to: call.to, data: call.data, value: numberToHex(BigInt(call.value)) });

/** Signed elsewhere, a call would take its value where nothing answers it. */
async function send(from: Hex, call: Call, gas?: string): Promise<Hex> {
  if (!(await onChain())) throw new Refusal({ title: "Your wallet moved to another chain", advice: "Switch it back to Monad and swap again." });
  const chainId = numberToHex(CHAIN);
  return (await request("eth_sendTransaction", [{ from, chainId, ...prepared(call), ...(gas && { gas: numberToHex(BigInt(gas)) }) }])) as Hex;
}

/** Whether the wallet carries out several calls as one (EIP-5792). */
async function batches(owner: Hex): Promise<boolean> {
  const id = numberToHex(CHAIN);
  const able = (await request("wallet_getCapabilities", [owner, [id]]).catch(() => ({}))) as Record<string, { atomic?: { status: string } }>;
  return ["supported", "ready"].includes(able[id]?.atomic?.status ?? "");
}

/** Sends them and waits, however long it takes: what was sent may be carried out, whether or not the wallet answers. */
async function sendTogether(from: Hex, calls: Call[]): Promise<[Receipt, Hex]> {
  const { id } = (await request("wallet_sendCalls", [
    { version: "2.0.0", chainId: numberToHex(CHAIN), from, atomicRequired: true, calls: calls.map(prepared) },
  ])) as { id: string };
  for (let wait = 100; ; wait = Math.min(wait * 1.5, 1000)) {
    const { status, receipts } = (await request("wallet_getCallsStatus", [id]).catch(() => ({ status: 100 }))) as { status: number; receipts?: Receipt[] };
    const last = receipts?.at(-1);
    if (status === 200 && last) return [last, last.transactionHash];
    if (status >= 400) throw new Refusal({ title: "The wallet's batch failed", advice: "Nothing was swapped." });
    await pause(wait);
  }
}

function expect(receipt: Receipt, what: string): void {
  if (Number(receipt.status) !== 1) {
    throw new Refusal({ title: `The ${what} was carried out but failed`, advice: "Your tokens are where they were; the gas is spent. The price may have moved beyond your limit." });
  }
}

/** What was promised beside what came of it. */
function sum(offer: Swap, receipt: Receipt, hash: Hex): Result {
  expect(receipt, "swap");
  return {
    hash,
    block: Number(receipt.blockNumber),
    quoted: BigInt(offer.amountOut),
    received: paid(receipt, offer.tx.to),
    minimum: BigInt(offer.meta.minAmountOut),
    gasLimit: BigInt(offer.tx.estimatedGas),
    gasCost: BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice),
  };
}
