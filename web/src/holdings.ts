// What the connected account holds.

import { effect, signal, untracked } from "@preact/signals";
import type { Token } from "./api";
import { balances } from "./chain";
import { tokenIn, tokenOut } from "./order";
import { listed, NATIVE } from "./tokens";
import { pending } from "./transactions";
import { account, wallet, wrongChain } from "./wallet";

export const held = signal<Map<string, bigint> | undefined>(undefined);

let heldBy: string | undefined;

async function look(tokens: Token[]): Promise<void> {
  const owner = account.value;
  if (!owner || wrongChain.value || document.hidden) return;
  const found = await balances(tokens, owner).catch(() => undefined);
  if (!found || owner !== account.value) return;
  held.value = new Map([...(heldBy === owner ? (held.value ?? []) : []), ...found]);
  heldBy = owner;
}

/** Looks at every token, which is a large answer: for those who are about to choose one. */
export const lookAtAll = (): Promise<void> => look([NATIVE, ...listed.value]);

const ofSwap = (): Token[] => [...new Set([NATIVE, tokenIn.value, ...(tokenOut.value ? [tokenOut.value] : [])])];

/** Looks at all when the account, its chain or a swap changes, and now and then at the tokens of the swap. */
export function watch(): void {
  effect(() => {
    if (!account.value || !wallet.value || wrongChain.value) {
      held.value = undefined;
      return undefined;
    }
    if (listed.value.length) void untracked(lookAtAll);
    const timer = setInterval(() => void look(ofSwap()), 5000);
    return () => clearInterval(timer);
  });
  effect(() => {
    if (pending.value.length === 0) void untracked(lookAtAll);
  });
}
