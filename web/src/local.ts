// The account of the local chain, for users without a wallet. Only the service of a
// local chain writes it into the page.

import type { Provider } from "./provider";

interface Local {
  rpc: string;
  account: `0x${string}`;
  key: `0x${string}`;
}

const meta = document.querySelector<HTMLMetaElement>('meta[name="braid:local"]')?.content;

export const local: Local | undefined = meta ? (JSON.parse(meta) as Local) : undefined;

let requests = 0;

export async function rpc(method: string, params: unknown[] = []): Promise<unknown> {
  const response = await fetch(local!.rpc, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++requests, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { code: number; message: string } };
  if (error) throw Object.assign(new Error(error.message), { code: error.code });
  return result;
}

interface Transaction {
  to: `0x${string}`;
  data?: `0x${string}`;
  value?: `0x${string}`;
  gas?: `0x${string}`;
}

/** An EIP-1193 provider that signs with the local key, without confirmation. */
export const localProvider: Provider = {
  async request({ method, params = [] }) {
    switch (method) {
      case "eth_requestAccounts":
      case "eth_accounts":
        return [local!.account];
      case "eth_sendTransaction":
        return rpc("eth_sendRawTransaction", [await sign(params[0] as Transaction)]);
      case "wallet_getCapabilities":
        return {};
      default:
        return rpc(method, params as unknown[]);
    }
  },
};

async function sign(tx: Transaction): Promise<string> {
  const { privateKeyToAccount } = await import("viem/accounts");
  const [nonce, price, limit] = await Promise.all([
    rpc("eth_getTransactionCount", [local!.account, "pending"]),
    rpc("eth_gasPrice"),
    tx.gas ?? rpc("eth_estimateGas", [{ from: local!.account, ...tx }]),
  ]);
  return privateKeyToAccount(local!.key).signTransaction({
    type: "eip1559",
    chainId: 143,
    nonce: Number(nonce),
    to: tx.to,
    data: tx.data ?? "0x",
    value: BigInt(tx.value ?? 0),
    gas: BigInt(limit as string),
    maxFeePerGas: BigInt(price as string) * 2n,
    maxPriorityFeePerGas: 1n,
  });
}
