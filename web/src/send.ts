// From the click to the receipt.

import { signal } from "@preact/signals";
import { encodeFunctionData, erc20Abi, numberToHex } from "viem";
import { get, type Call, type Query, type Swap, type Token } from "./api";
import { allowance, request } from "./chain";
import { hold, type Terms } from "./terms";
import { announce, toast } from "./toasts";
import { isNative } from "./tokens";
import { chainName, drop, put, type Entry } from "./transactions";
import { account, CHAIN, onChain, sameChain, switchChain, wallet } from "./wallet";
import { claim, settle } from "./watch";
import { explain, Refusal, type Words } from "./words";

type Hex = `0x${string}`;

export type Step = "approve" | "approving" | "sign" | "sent";

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

/** A transaction ready to be signed, read from its bytes. */
export interface Offer {
  swap: Swap;
  terms: Terms;
  approves: boolean; // an approval is needed before
  at: number; // when it was made, ms since 1970
}

export type Stage =
  | { kind: "idle" }
  | { kind: "preparing"; deal: Deal }
  | { kind: "offered"; deal: Deal; offer: Offer }
  | { kind: "working"; deal: Deal; step: Step; approves: boolean; hash?: string }
  | { kind: "done"; deal: Deal; entry: Entry }
  | { kind: "failed"; deal: Deal; words: Words; hash?: string };

/** How long the Router takes a transaction after it was made, s. */
export const DEADLINE_S = 600;

export const stage = signal<Stage>({ kind: "idle" });

/** Whether the dialog of the stage is open: a swap goes on without it. */
export const shown = signal(false);

let turn = 0;

/** Gets the transaction for a deal and lays it before the visitor. */
export async function propose(deal: Deal): Promise<void> {
  const mine = ++turn;
  const show = (next: Stage) => mine === turn && (stage.value = next); // an answer may come after the sheet was closed
  show({ kind: "preparing", deal });
  shown.value = true;
  try {
    if (!(await onChain())) await switchChain();
    if (!(await sameChain())) {
      throw new Refusal({
        title: "Your wallet is on another chain with the same ID",
        advice: "This page quotes from a local chain. Give the wallet its address as the RPC of chain 143, or use the local account.",
      });
    }
    const { swap, terms } = await ask(deal);
    const approves = !isNative(deal.tokenIn) && (await allowance(deal.tokenIn.address as Hex, account.value!, swap.tx.to)) < deal.amountIn;
    show({ kind: "offered", deal, offer: { swap, terms, approves, at: Date.now() } });
  } catch (error) {
    show({ kind: "failed", deal, words: explain(error, deal.tokenIn, deal.tokenOut) });
  }
}

/** Closes the dialog. What is not signed is given up, what is goes on. */
export function close(): void {
  shown.value = false;
  if (stage.value.kind !== "working") {
    turn++;
    stage.value = { kind: "idle" };
  }
}

/** Signs and sends what was offered, and waits for it. */
export async function carryOut(deal: Deal, { swap, terms, approves }: Offer): Promise<void> {
  let hash = "";
  let asked: Entry | undefined;
  const at = (step: Step) => (stage.value = { kind: "working", deal, step, approves, ...(hash && { hash }) });
  try {
    const { provider } = wallet.value!;
    const owner = account.value!;
    const block = Number(await request("eth_blockNumber"));
    let offer = { swap, terms };
    const together = approves && (await batches(owner));
    if (approves && !together) {
      at("approve");
      hash = await send(owner, approval(deal, swap.tx.to));
      const entry = { ...begun(deal, offer, block), kind: "approval" as const, state: "sent" as const, hash };
      put(entry);
      at("approving");
      expect(await settle(entry.id, provider), "approval");
      hash = "";
      offer = await ask(deal); // on the newest state, held to the same terms
    }
    at("sign");
    put((asked = begun(deal, offer, block)));
    if (together) {
      put((asked = { ...asked, state: "sent", batch: await sendTogether(owner, [approval(deal, swap.tx.to), swap.tx]) }));
    } else {
      hash = await send(owner, offer.swap.tx, offer.swap.tx.estimatedGas);
      put((asked = { ...asked, state: "sent", hash }));
    }
    at("sent");
    const entry = expect(await settle(asked.id, provider), "swap");
    stage.value = { kind: "done", deal, entry };
    if (!shown.value) announce(entry);
  } catch (error) {
    if (asked?.state === "asked") drop(asked.id); // the wallet did not take it
    const words = explain(error, deal.tokenIn, deal.tokenOut);
    stage.value = { kind: "failed", deal, words, ...(hash && { hash }) };
    if (!shown.value) toast(words.title, words.advice);
  }
  if (!shown.value) stage.value = { kind: "idle" };
}

/** What is remembered of a transaction, from its bytes. */
function begun(deal: Deal, { swap, terms }: { swap: Swap; terms: Terms }, fromBlock: number): Entry {
  const coin = ({ address, symbol, decimals }: Token) => ({ address, symbol: symbol.slice(0, 100), decimals });
  const id = `${Date.now()}-${Math.random()}`;
  claim(id);
  return {
    id,
    kind: "swap",
    state: "asked",
    chain: chainName.value,
    account: account.value!,
    wallet: wallet.value!.id.slice(0, 100),
    at: Date.now(),
    tokenIn: coin(deal.tokenIn),
    tokenOut: coin(deal.tokenOut),
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

/** The transaction for a deal, held to it byte for byte. */
export async function ask(deal: Deal): Promise<{ swap: Swap; terms: Terms }> {
  const swap = await get<Swap>("/swap", {
    ...deal.query,
    recipient: deal.recipient,
    minAmountOut: deal.minimum.toString(),
    deadlineSeconds: String(DEADLINE_S),
    include: "meta",
  });
  const terms = hold(swap, {
    tokenIn: deal.tokenIn.address,
    tokenOut: deal.tokenOut.address,
    amount: deal.amountIn,
    minOut: deal.minimum,
    recipient: deal.recipient,
  });
  return { swap, terms };
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

/** Sends calls that are carried out together or not at all; gives the wallet's ID of them. */
async function sendTogether(from: Hex, calls: Call[]): Promise<string> {
  const { id } = (await request("wallet_sendCalls", [
    { version: "2.0.0", chainId: numberToHex(CHAIN), from, atomicRequired: true, calls: calls.map(prepared) },
  ])) as { id: string };
  return id;
}

/** What was carried out and succeeded; else why the visitor has nothing of it. */
function expect(entry: Entry | undefined, what: string): Entry {
  if (entry?.state === "done") return entry;
  if (entry?.state === "failed") {
    throw new Refusal({ title: `The ${what} was carried out but failed`, advice: "Your tokens are where they were; the gas is spent. The price may have moved beyond your limit." });
  }
  throw new Refusal({ title: `The ${what} is not followed any more`, advice: "It may still be carried out. Your wallet shows what became of it." });
}
