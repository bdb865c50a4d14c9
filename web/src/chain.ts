// Reads from the chain, through the connected wallet.

import { decodeEventLog, decodeFunctionResult, encodeFunctionData, erc20Abi, parseAbi } from "viem";
import { abi as routerAbi } from "../../contracts/out/Router.json";
import type { Token } from "./api";
import { isNative } from "./tokens";
import { wallet } from "./wallet";

type Address = `0x${string}`;
type Hex = `0x${string}`;

export const request = (method: string, params: unknown[] = []): Promise<unknown> => wallet.value!.provider.request({ method, params });

const call = async (to: Address, data: Hex): Promise<Hex> => (await request("eth_call", [{ to, data }, "latest"])) as Hex;

export async function allowance(token: Address, owner: Address, spender: Address): Promise<bigint> {
  const abi = erc20Abi;
  const data = encodeFunctionData({ abi, functionName: "allowance", args: [owner, spender] });
  return decodeFunctionResult({ abi, functionName: "allowance", data: await call(token, data) });
}

const multicall: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";
const multicallAbi = parseAbi([
  "struct Call { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call[] calls) payable returns (Result[])",
  "function getEthBalance(address) view returns (uint256)",
]);

/** Balances of many tokens in one call; 0 for a token whose call fails. */
export async function balances(tokens: Token[], owner: Address): Promise<Map<string, bigint>> {
  const calls = tokens.map((token) => ({
    target: isNative(token) ? multicall : (token.address as Address),
    allowFailure: true,
    callData: isNative(token)
      ? encodeFunctionData({ abi: multicallAbi, functionName: "getEthBalance", args: [owner] })
      : encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [owner] }),
  }));
  const data = encodeFunctionData({ abi: multicallAbi, functionName: "aggregate3", args: [calls] });
  const results = decodeFunctionResult({ abi: multicallAbi, functionName: "aggregate3", data: await call(multicall, data) });
  return new Map(tokens.map((token, i) => {
    const { success, returnData } = results[i]!;
    return [token.address, success && returnData.length === 66 ? BigInt(returnData) : 0n];
  }));
}

export interface Receipt {
  status: Hex;
  blockNumber: Hex;
  transactionHash: Hex;
  gasUsed: Hex;
  effectiveGasPrice: Hex;
  logs: { address: Address; topics: [Hex, ...Hex[]]; data: Hex }[];
}

/** The amount out that the Router's event states. */
export function amountPaid(receipt: Receipt, router: Address): bigint | undefined {
  for (const log of receipt.logs) {
    if (log.address.toLowerCase() !== router.toLowerCase()) continue;
    try {
      const event = decodeEventLog({ abi: routerAbi, topics: log.topics, data: log.data });
      if (event.eventName === "Swapped") return (event.args as unknown as { amountOut: bigint }).amountOut;
    } catch {
      continue; // another event
    }
  }
  return undefined;
}
