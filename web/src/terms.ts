// The terms of a swap transaction, decoded from its calldata.

import { decodeFunctionData, getAddress, parseAbi } from "viem";
import type { Swap } from "./api";
import { NATIVE } from "./tokens";
import { ExplainedError } from "./explain";

const abi = parseAbi([
  "function swap(address tokenIn, uint256 amountIn, address tokenOut, uint256 minOut, address recipient, uint256 deadline, address executor, bytes route) payable returns (uint256 amountOut)",
]);

export interface Terms {
  tokenIn: string;
  amountIn: bigint;
  tokenOut: string; // the zero address is the native currency
  minOut: bigint;
  recipient: string;
  deadline: number; // s since 1970
  executor: string;
  routeBytes: number;
}

export function decodeSwap(data: `0x${string}`): Terms {
  const { args } = decodeFunctionData({ abi, data });
  const [tokenIn, amountIn, tokenOut, minOut, recipient, deadline, executor, route] = args;
  return { tokenIn, amountIn, tokenOut, minOut, recipient, deadline: Number(deadline), executor, routeBytes: route.length / 2 - 1 };
}

export interface ExpectedSwap {
  tokenIn: string;
  tokenOut: string;
  amount: bigint;
  minOut: bigint;
  recipient: string;
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/**
 * Checks that the calldata is the swap that the user was shown. Only the calldata is
 * signed, whatever else the response says.
 */
export function checkSwap(swap: Swap, expected: ExpectedSwap): Terms {
  const fail = (field: string): never => {
    throw new ExplainedError({ title: "The transaction is not the swap you asked for", advice: `Its ${field} differs. Nothing was sent.` });
  };
  let terms: Terms;
  try {
    terms = decodeSwap(swap.tx.data);
  } catch {
    return fail("call");
  }
  const native = same(expected.tokenIn, NATIVE.address);
  if (!same(terms.tokenIn, native ? swap.tokenIn : expected.tokenIn)) fail("input token");
  if (!same(terms.tokenOut, expected.tokenOut)) fail("output token");
  if (terms.amountIn !== expected.amount) fail("amount");
  if (!same(terms.recipient, expected.recipient)) fail("recipient");
  if (terms.minOut < expected.minOut) fail("minimum");
  if (BigInt(swap.tx.value) !== (native ? expected.amount : 0n)) fail("value");
  return { ...terms, executor: getAddress(terms.executor) };
}
