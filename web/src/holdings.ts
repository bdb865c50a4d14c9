// What the connected account holds.

import { effect, signal } from "@preact/signals";
import { balances } from "./chain";
import { listed, NATIVE } from "./tokens";
import { pending } from "./transactions";
import { account, wallet, wrongChain } from "./wallet";

export const held = signal<Map<string, bigint> | undefined>(undefined);

async function look(): Promise<void> {
  const owner = account.value;
  if (!owner || wrongChain.value || document.hidden) return;
  const found = await balances([NATIVE, ...listed.value], owner).catch(() => undefined);
  if (found && owner === account.value) held.value = found;
}

/** Looks when the account, its chain or a swap changes, and now and then. */
export function watch(): void {
  effect(() => {
    if (!account.value || !wallet.value || wrongChain.value) {
      held.value = undefined;
      return undefined;
    }
    if (listed.value.length) void look();
    const timer = setInterval(() => void look(), 5000);
    return () => clearInterval(timer);
  });
  effect(() => {
    if (pending.value.length === 0) void look();
  });
}
