// A swap from JavaScript, as an integrator would write it:
//
//     node e2e/swap.mjs http://127.0.0.1:8080/api/v1 http://127.0.0.1:8545
//
// It swaps WMON to USDC (approve, send), then native MON to USDC with the same
// kind of calldata, and USDC back to native; each time it compares what the
// recipient received with what was quoted.
import { createPublicClient, createWalletClient, defineChain, erc20Abi, http, zeroAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from "viem/accounts";

const [api = "http://127.0.0.1:8080/api/v1", rpc = "http://127.0.0.1:8545"] = process.argv.slice(2);
const key = process.env.KEY ?? "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

const chain = defineChain({
  id: 143,
  name: "Monad (local)",
  nativeCurrency: { name: "Monad", symbol: "MON", decimals: 18 },
  rpcUrls: { default: { http: [rpc] } },
});
const account = privateKeyToAccount(key);
const wallet = createWalletClient({ account, chain, transport: http() });
const reader = createPublicClient({ chain, transport: http(), pollingInterval: 50 });

async function get(path, query = {}) {
  const response = await fetch(`${api}${path}?${new URLSearchParams(query)}`);
  const body = await response.json();
  if (!response.ok) throw new Error(`${path}: ${body.code}: ${body.detail}`);
  return { ...body, block: BigInt(response.headers.get("x-block-number") ?? 0) };
}

async function mined(hash) {
  const receipt = await reader.waitForTransactionReceipt({ hash });
  if (receipt.status !== "success") throw new Error(`${hash} reverted`);
  return receipt;
}

const balance = (token, holder) =>
  token === zeroAddress
    ? reader.getBalance({ address: holder })
    : reader.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [holder] });

async function swap({ tokenIn, tokenOut, amount, native = false }) {
  const recipient = privateKeyToAddress(generatePrivateKey());
  if (!native) {
    const { tx, amountIn } = await get("/swap", { tokenIn, tokenOut, amount, recipient });
    await mined(await wallet.writeContract({ address: tokenIn, abi: erc20Abi, functionName: "approve", args: [tx.to, BigInt(amountIn)] }));
  }
  const { tx, amountIn, amountOut } = await get("/swap", { tokenIn, tokenOut, amount, recipient });
  const receipt = await mined(
    await wallet.sendTransaction({
      to: tx.to,
      data: tx.data,
      value: native ? BigInt(amountIn) : BigInt(tx.value),
      gas: BigInt(tx.estimatedGas),
    }),
  );
  const received = await balance(tokenOut, recipient);
  console.log(`quoted ${amountOut} received ${received} gas ${receipt.gasUsed} of ${tx.estimatedGas}`);
  if (received !== BigInt(amountOut)) throw new Error("received is not what was quoted");

  // Quote again only from this block on.
  while ((await get("/quote", { tokenIn, tokenOut, amount })).block < receipt.blockNumber) await new Promise((r) => setTimeout(r, 20));
  return received;
}

const token = async (symbol) => (await get("/tokens", { search: symbol })).tokens.find((t) => t.symbol === symbol && t.isVerified);
const [wmon, usdc] = [await token("WMON"), await token("USDC")];
const thousand = String(1000n * 10n ** BigInt(wmon.decimals));

await swap({ tokenIn: wmon.address, tokenOut: usdc.address, amount: thousand });
await swap({ tokenIn: wmon.address, tokenOut: usdc.address, amount: thousand, native: true });
await swap({ tokenIn: usdc.address, tokenOut: zeroAddress, amount: String(100n * 10n ** BigInt(usdc.decimals)) });
console.log("3 swaps paid what was quoted");
