// The main button of the form: the next action, or the reason why there is none.

import { computed } from "@preact/signals";
import { isAddress } from "viem";
import { shortAddress } from "./amount";
import { balance, affordable } from "./funds";
import { HIGH_IMPACT_BPS, guard } from "./impact";
import { local, localProvider } from "./local";
import { lookalikeOf } from "./lookalike";
import { answer, connection, quote, waiting } from "./answer";
import { amountIn, linkErrors, query, parsedAmount, recipient, tokenIn, tokenOut, amountText } from "./order";
import { propose, dialogOpen, stage, type Order } from "./send";
import { shownEntry } from "./toasts";
import { verified } from "./tokens";
import { pendingEntry } from "./transactions";
import { account, connect, switchChain, wallets, wrongChain } from "./wallet";
import { walletDialogOpen } from "./wallets";

/** The recipient if it is not the connected account; empty if it is. */
export const otherRecipient = computed(() => {
  const to = recipient.value.trim();
  return to.toLowerCase() === account.value?.toLowerCase() ? "" : to;
});

async function connectLocal(): Promise<void> {
  await connect(wallets.value.find((w) => w.provider === localProvider)!);
}

/** The order on the screen with the amounts of its quote. */
export function currentOrder(): Order {
  const q = quote.value!;
  return {
    tokenIn: tokenIn.value,
    tokenOut: tokenOut.value!,
    amountIn: amountIn.value!,
    minimum: BigInt(q.meta.minAmountOut),
    expected: BigInt(q.amountOut),
    recipient: otherRecipient.value || account.value!,
    query: query.value!,
  };
}

interface ButtonState {
  label: string;
  onClick?: () => void;
  danger?: boolean;
}

const noAmountLabels = { empty: "Enter an amount", amount: "", ambiguous: "Which amount?", dollars: "Choose an amount", invalid: "Not an amount" };

const buttonState = computed<ButtonState>(() => {
  // A swap in progress comes first: a second swap of the same amount is rarely intended.
  if (stage.value.kind === "working") return { label: "Swap in progress", onClick: () => (dialogOpen.value = true) };
  if (pendingEntry.value) {
    const { id, kind, state } = pendingEntry.value;
    const label = kind === "approval" ? "Your approval is pending" : state === "asked" ? "A swap waits in your wallet" : "Your last swap is pending";
    return { label, onClick: () => (shownEntry.value = id) };
  }
  if (!tokenOut.value) return { label: linkErrors.value.length ? "Unknown token in the link" : "Choose a token" };
  if (!amountIn.value) return { label: amountText.value ? noAmountLabels[parsedAmount.value.kind] : noAmountLabels.empty };
  if (!account.value) {
    if (local && wallets.value.length === 1) return { label: "Use the local account", onClick: () => void connectLocal() };
    return { label: "Connect a wallet", onClick: () => (walletDialogOpen.value = true) };
  }
  if (wrongChain.value) return { label: "Switch the wallet to Monad", onClick: () => void switchChain().catch(() => undefined) };
  if (otherRecipient.value && !isAddress(otherRecipient.value)) return { label: "The recipient is no address" };
  if (balance.value !== undefined && amountIn.value > balance.value) return { label: `Not enough ${tokenIn.value.symbol}` };
  if (affordable.value !== undefined && amountIn.value > affordable.value) return { label: "Not enough MON for the gas" };
  if (answer.value.kind === "failed") return { label: "No quote" };
  if (!quote.value || waiting.value) return { label: "Finding the best route…" };
  if (connection.value !== "live") return { label: connection.value === "connecting" ? "Connecting…" : "No connection to the service" };
  const to = otherRecipient.value ? ` to ${shortAddress(otherRecipient.value)}` : "";
  const swap = () => void propose(currentOrder());
  const lookalike = [tokenIn.value, tokenOut.value].map((token) => lookalikeOf(token, verified.value)).find(Boolean);
  if (quote.value.priceImpactBps < HIGH_IMPACT_BPS) return lookalike ? { label: `Swap a look-alike of ${lookalike.symbol}${to}`, onClick: swap, danger: true } : { label: `Swap${to}`, onClick: swap };
  if (guard.value === "checking") return { label: "Checking the price impact…" };
  if (guard.value === "refuses") return { label: "Price impact too high" };
  return { label: `Swap anyway${to}`, onClick: swap, danger: true };
});

export function Action() {
  const { label, onClick, danger } = buttonState.value;
  return (
    <button type="button" class={danger ? "action danger" : "action"} disabled={!onClick} onClick={onClick}>
      {label}
    </button>
  );
}
