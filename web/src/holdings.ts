// Balances of the connected account.

import { effect, signal, untracked } from "@preact/signals";
import type { Token } from "./api";
import { balances } from "./chain";
import { tokenIn, tokenOut } from "./order";
import { tokenList, NATIVE } from "./tokens";
import { pending } from "./transactions";
import { account, wallet, wrongChain } from "./wallet";

export const holdings = signal<Map<string, bigint> | undefined>(undefined);

let holdingsOwner: string | undefined;

async function refreshBalances(tokens: Token[]): Promise<void> {
  const owner = account.value;
  if (!owner || wrongChain.value || document.hidden) return;
  const found = await balances(tokens, owner).catch(() => undefined);
  if (!found || owner !== account.value) return;
  holdings.value = new Map([...(holdingsOwner === owner ? (holdings.value ?? []) : []), ...found]);
  holdingsOwner = owner;
}

/** Reads the balances of all tokens, which is a large response: for the token picker. */
export const refreshAllBalances = (): Promise<void> => refreshBalances([NATIVE, ...tokenList.value]);

const swapTokens = (): Token[] => [...new Set([NATIVE, tokenIn.value, ...(tokenOut.value ? [tokenOut.value] : [])])];

/** Reads all balances when the account, its chain or the pending swaps change, and those of the selected tokens every 5 s. */
export function watchBalances(): void {
  effect(() => {
    if (!account.value || !wallet.value || wrongChain.value) {
      holdings.value = undefined;
      return undefined;
    }
    if (tokenList.value.length) void untracked(refreshAllBalances);
    const timer = setInterval(() => void refreshBalances(swapTokens()), 5000);
    return () => clearInterval(timer);
  });
  effect(() => {
    if (pending.value.length === 0) void untracked(refreshAllBalances);
  });
}
