// swap.mts: swaps 100 USDC to WMON.
import { createWalletClient, defineChain, erc20Abi, http, publicActions, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const api = "__ORIGIN__/api/v1";
const chain = defineChain({
  id: 143,
  name: "Monad",
  nativeCurrency: { name: "Monad", symbol: "MON", decimals: 18 },
  rpcUrls: { default: { http: ["__RPC__"] } },
});
const account = privateKeyToAccount(process.env.KEY as Hex);
const wallet = createWalletClient({ account, chain, transport: http() }).extend(publicActions);

const usdc: Hex = "0x754704Bc059F8C67012fEd69BC8A327a5aafb603";
const wmon: Hex = "0x3bd359C1119dA7Da1D913D1C4D2B7c461115433A";
const order = { tokenIn: usdc, tokenOut: wmon, amount: "100000000", recipient: account.address };

async function swap() {
  const response = await fetch(`${api}/swap?${new URLSearchParams(order)}`);
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}

// Let the aggregator take exactly this amount, once.
const { tx, amountIn } = await swap();
const args = [tx.to as Hex, BigInt(amountIn)] as const;
await wallet.waitForTransactionReceipt({ hash: await wallet.writeContract({ address: usdc, abi: erc20Abi, functionName: "approve", args }) });

// Ask again, for the price of now, and send it with the gas limit it names.
const fresh = await swap();
const hash = await wallet.sendTransaction({ to: fresh.tx.to, data: fresh.tx.data, value: BigInt(fresh.tx.value), gas: BigInt(fresh.tx.estimatedGas) });
const receipt = await wallet.waitForTransactionReceipt({ hash });
console.log(receipt.status, "for", fresh.amountOut, "wei of WMON");
