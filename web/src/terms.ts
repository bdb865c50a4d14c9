// What a transaction says, read from its bytes.

import { decodeFunctionData, getAddress, parseAbi } from "viem";
import type { Swap } from "./api";
import { NATIVE } from "./tokens";
import { Refusal } from "./words";

const abi = parseAbi([
  "function swap(address tokenIn, uint256 amountIn, address tokenOut, uint256 minOut, address recipient, uint256 deadline, address executor, bytes route) payable returns (uint256 amountOut)",
]);

export interface Terms {
  tokenIn: string;
  amountIn: bigint;
  tokenOut: string; // the zero address is native
  minOut: bigint;
  recipient: string;
  deadline: number; // seconds
  executor: string;
  routeBytes: number;
}

export function read(data: `0x${string}`): Terms {
  const { args } = decodeFunctionData({ abi, data });
  const [tokenIn, amountIn, tokenOut, minOut, recipient, deadline, executor, route] = args;
  return { tokenIn, amountIn, tokenOut, minOut, recipient, deadline: Number(deadline), executor, routeBytes: route.length / 2 - 1 };
}

export interface Wanted {
  tokenIn: string;
  tokenOut: string;
  amount: bigint;
  minOut: bigint;
  recipient: string;
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/**
 * Holds a transaction to what the visitor was shown: whatever the answer says
 * beside its bytes, only these bytes are signed.
 */
export function hold(swap: Swap, wanted: Wanted): Terms {
  const refuse = (what: string): never => {
    throw new Refusal({ title: "The transaction is not the swap you asked for", advice: `Its ${what} differs. Nothing was sent.` });
  };
  let terms: Terms;
  try {
    terms = read(swap.tx.data);
  } catch {
    return refuse("call");
  }
  const native = same(wanted.tokenIn, NATIVE.address);
  if (!same(terms.tokenIn, native ? swap.tokenIn : wanted.tokenIn)) refuse("input token");
  if (!same(terms.tokenOut, wanted.tokenOut)) refuse("output token");
  if (terms.amountIn !== wanted.amount) refuse("amount");
  if (!same(terms.recipient, wanted.recipient)) refuse("recipient");
  if (terms.minOut < wanted.minOut) refuse("minimum");
  if (BigInt(swap.tx.value) !== (native ? wanted.amount : 0n)) refuse("value");
  return { ...terms, executor: getAddress(terms.executor) };
}
