// The one button of the form: what can be done now, or why nothing can.

import { computed } from "@preact/signals";
import { isAddress } from "viem";
import { shortAddress } from "./amount";
import { balance, most } from "./funds";
import { FEARED_BPS, guard } from "./impact";
import { local, localProvider } from "./local";
import { likeness } from "./lookalike";
import { answer, connection, quote, waiting } from "./answer";
import { amountIn, misread, query, reading, recipient, tokenIn, tokenOut, typed } from "./order";
import { propose, shown, stage, type Deal } from "./send";
import { detail } from "./toasts";
import { verified } from "./tokens";
import { busy } from "./transactions";
import { account, connect, switchChain, wallets, wrongChain } from "./wallet";
import { choosing } from "./wallets";

/** Who is paid, if that is not the account that pays. */
export const other = computed(() => {
  const to = recipient.value.trim();
  return to.toLowerCase() === account.value?.toLowerCase() ? "" : to;
});

async function useLocal(): Promise<void> {
  await connect(wallets.value.find((w) => w.provider === localProvider)!);
}

/** The order on the screen, with the figures of its quote. */
export function deal(): Deal {
  const q = quote.value!;
  return {
    tokenIn: tokenIn.value,
    tokenOut: tokenOut.value!,
    amountIn: amountIn.value!,
    minimum: BigInt(q.meta.minAmountOut),
    expected: BigInt(q.amountOut),
    recipient: other.value || account.value!,
    query: query.value!,
  };
}

interface Deed {
  label: string;
  act?: () => void;
  fear?: boolean;
}

const unread = { empty: "Enter an amount", amount: "", either: "Which amount?", dollars: "Choose an amount", wrong: "Not an amount" };

const deed = computed<Deed>(() => {
  // What is under way comes first: a second swap of the same amount is rarely meant.
  if (stage.value.kind === "working") return { label: "Swap in progress", act: () => (shown.value = true) };
  if (busy.value) {
    const { id, kind, state } = busy.value;
    const label = kind === "approval" ? "Your approval is pending" : state === "asked" ? "A swap waits in your wallet" : "Your last swap is pending";
    return { label, act: () => (detail.value = id) };
  }
  if (!tokenOut.value) return { label: misread.value.length ? "Unknown token in the link" : "Choose a token" };
  if (!amountIn.value) return { label: typed.value ? unread[reading.value.kind] : unread.empty };
  if (!account.value) {
    if (local && wallets.value.length === 1) return { label: "Use the local account", act: () => void useLocal() };
    return { label: "Connect a wallet", act: () => (choosing.value = true) };
  }
  if (wrongChain.value) return { label: "Switch the wallet to Monad", act: () => void switchChain().catch(() => undefined) };
  if (other.value && !isAddress(other.value)) return { label: "The recipient is no address" };
  if (balance.value !== undefined && amountIn.value > balance.value) return { label: `Not enough ${tokenIn.value.symbol}` };
  if (most.value !== undefined && amountIn.value > most.value) return { label: "Not enough MON for the gas" };
  if (answer.value.kind === "failed") return { label: "No quote" };
  if (!quote.value || waiting.value) return { label: "Finding the best route…" };
  if (connection.value !== "live") return { label: connection.value === "connecting" ? "Connecting…" : "No connection to the service" };
  const to = other.value ? ` to ${shortAddress(other.value)}` : "";
  const act = () => void propose(deal());
  const like = [tokenIn.value, tokenOut.value].map((token) => likeness(token, verified.value)).find(Boolean);
  if (quote.value.priceImpactBps < FEARED_BPS) return like ? { label: `Swap a look-alike of ${like.symbol}${to}`, act, fear: true } : { label: `Swap${to}`, act };
  if (guard.value === "asking") return { label: "Checking the price impact…" };
  if (guard.value === "refuses") return { label: "Price impact too high" };
  return { label: `Swap anyway${to}`, act, fear: true };
});

export function Action() {
  const { label, act, fear } = deed.value;
  return (
    <button type="button" class={fear ? "action fear" : "action"} disabled={!act} onClick={act}>
      {label}
    </button>
  );
}
