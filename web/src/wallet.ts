// Wallets: found by EIP-6963, called by EIP-1193.

import { computed, signal } from "@preact/signals";
import { local, localProvider, rpc } from "./local";
import type { Provider } from "./provider";

export interface Wallet {
  id: string;
  name: string;
  icon: string; // a data: URI, or empty
  provider: Provider;
}

export const CHAIN_ID = 143;
const CHAIN_ID_HEX = "0x8f";

export const wallets = signal<Wallet[]>(
  local ? [{ id: "local", name: "Local account", icon: "", provider: localProvider }] : [],
);
export const wallet = signal<Wallet | undefined>(undefined);
export const account = signal<`0x${string}` | undefined>(undefined);
export const walletChain = signal<number | undefined>(undefined);
export const wrongChain = computed(() => account.value !== undefined && walletChain.value !== CHAIN_ID);

interface Announcement extends Event {
  detail: { info: { uuid: string; name: string; icon: string; rdns: string }; provider: Provider };
}

function add(found: Wallet) {
  if (!wallets.value.some((known) => known.id === found.id)) wallets.value = [found, ...wallets.value];
  if (localStorage.getItem("wallet") === found.id) void reconnect(found);
}

/** Asks installed wallets to announce themselves, which they may do at any time. */
export function discover(): void {
  window.addEventListener("eip6963:announceProvider", (event) => {
    const { info, provider } = (event as Announcement).detail;
    const icon = info.icon.startsWith("data:image/") ? info.icon : "";
    add({ id: info.rdns || info.uuid, name: info.name.slice(0, 40), icon, provider });
  });
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  const injected = (window as { ethereum?: Provider }).ethereum;
  if (injected) setTimeout(() => wallets.value.every((w) => w.id === "local") && add({ id: "injected", name: "Browser wallet", icon: "", provider: injected }), 200);
  const first = wallets.value.find((w) => w.id === localStorage.getItem("wallet"));
  if (first) void reconnect(first);
}

/** Reconnects a wallet that was connected before, without a prompt, if it still allows it. */
async function reconnect(known: Wallet): Promise<void> {
  const accounts = (await known.provider.request({ method: "eth_accounts" }).catch(() => [])) as `0x${string}`[];
  if (accounts[0] && !wallet.value) await activate(known, accounts[0]);
}

export async function connect(chosen: Wallet): Promise<void> {
  const accounts = (await chosen.provider.request({ method: "eth_requestAccounts" })) as `0x${string}`[];
  if (!accounts[0]) throw new Error("the wallet shows no account");
  await activate(chosen, accounts[0]);
}

const onAccountsChanged = (accounts: `0x${string}`[]) => (accounts[0] ? (account.value = accounts[0]) : disconnect());
const onChainChanged = (id: string) => (walletChain.value = Number(id));

async function activate(chosen: Wallet, first: `0x${string}`): Promise<void> {
  disconnect();
  await readChain(chosen.provider);
  wallet.value = chosen;
  account.value = first;
  localStorage.setItem("wallet", chosen.id);
  chosen.provider.on?.("accountsChanged", onAccountsChanged);
  chosen.provider.on?.("chainChanged", onChainChanged);
}

export function disconnect(): void {
  wallet.value?.provider.removeListener?.("accountsChanged", onAccountsChanged);
  wallet.value?.provider.removeListener?.("chainChanged", onChainChanged);
  wallet.value = account.value = walletChain.value = undefined;
  localStorage.removeItem("wallet");
}

/** Reads the wallet's chain: not every wallet reports when it changes. */
async function readChain(provider: Provider): Promise<void> {
  walletChain.value = Number(await provider.request({ method: "eth_chainId" }));
}

export async function isOnChain(): Promise<boolean> {
  await readChain(wallet.value!.provider);
  return walletChain.value === CHAIN_ID;
}

export const codeOf = (error: unknown): number | undefined => (error as { code?: number } | undefined)?.code;

/** Switches the wallet to Monad, and adds the chain if the wallet does not know it. */
export async function switchChain(): Promise<void> {
  const { provider } = wallet.value!;
  const switchTo = () => provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId: CHAIN_ID_HEX }] });
  await switchTo().catch(async (error: unknown) => {
    if (codeOf(error) !== 4902) throw error;
    await provider.request({ method: "wallet_addEthereumChain", params: [chainParameters()] });
    await switchTo();
  });
  await readChain(provider);
}

const chainParameters = () => ({
  chainId: CHAIN_ID_HEX,
  chainName: local ? "Monad (local)" : "Monad",
  nativeCurrency: { name: "Monad", symbol: "MON", decimals: 18 },
  rpcUrls: [local ? new URL(local.rpc, location.href).href : "https://rpc.monad.xyz"],
});

/**
 * Whether the wallet is on the chain that the service quotes. A local chain has the
 * chain ID of Monad, so the first blocks are compared.
 */
export async function isSameChain(): Promise<boolean> {
  if (!local) return true;
  const params = ["0x0", false];
  const [ours, theirs] = (await Promise.all([
    rpc("eth_getBlockByNumber", params),
    wallet.value!.provider.request({ method: "eth_getBlockByNumber", params }),
  ])) as ({ hash: string } | null)[];
  return ours?.hash !== undefined && ours.hash === theirs?.hash;
}
