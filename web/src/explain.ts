// Errors as text for users: what happened, and what to do about it.

import { percent, short } from "./amount";
import { Problem, Unreachable, type Token } from "./api";
import { codeOf } from "./wallet";

export interface Explanation {
  title: string;
  advice: string;
  /** An amount in that would work, in raw units. */
  amount?: bigint;
  /** Whether excluded sources are the cause. */
  excluded?: boolean;
}

export class ExplainedError extends Error {
  constructor(readonly explanation: Explanation) {
    super(explanation.title);
  }
}

const retryAdvice = "Try again; nothing was sent.";

export function explain(error: unknown, tokenIn: Token, tokenOut: Token): Explanation {
  if (error instanceof ExplainedError) return error.explanation;
  if (error instanceof Unreachable) {
    return { title: "The service does not answer", advice: "Quotes come back by themselves as soon as it does." };
  }
  if (error instanceof Problem) return explainProblem(error, tokenIn, tokenOut);
  if (codeOf(error) === 4001 || codeOf(error) === 5000) return { title: "You declined in the wallet", advice: "Nothing was sent." };
  if (codeOf(error) === -32002) return { title: "The wallet is already waiting for you", advice: "Open it and answer its question." };
  const message = error instanceof Error ? error.message.split("\n")[0]!.slice(0, 160) : "";
  if (/insufficient funds/i.test(message)) return { title: "Not enough MON for this swap and its gas", advice: "Gas is paid in MON, for the whole gas limit." };
  return { title: "The wallet could not do it", advice: message ? `It says: ${message}` : retryAdvice };
}

function explainProblem({ code, body }: Problem, tokenIn: Token, tokenOut: Token): Explanation {
  const { hints, detail } = body;
  const withAmount = (raw: string | undefined) => (raw ? { amount: BigInt(raw) } : {});
  const amount = (raw: string) => `${short(BigInt(raw), tokenIn.decimals)} ${tokenIn.symbol}`;
  switch (code) {
    case "NO_ROUTE":
      if (hints.excludedSources?.length) {
        return { title: "Only sources you excluded trade this pair", advice: "Allow them again to get a quote.", excluded: true };
      }
      return { title: `No route from ${tokenIn.symbol} to ${tokenOut.symbol}`, advice: `The service says: ${detail}.` };
    case "INSUFFICIENT_LIQUIDITY":
      return {
        title: "More than the market holds",
        advice: hints.maxAmountIn ? `At most ${amount(hints.maxAmountIn)} can be swapped now.` : "Try a smaller amount.",
        ...withAmount(hints.maxAmountIn),
      };
    case "AMOUNT_TOO_SMALL":
      return {
        title: "Too small to buy anything",
        advice: hints.minAmountIn ? `It takes ${amount(hints.minAmountIn)} to get the smallest unit of ${tokenOut.symbol}.` : "Try a larger amount.",
        ...withAmount(hints.minAmountIn),
      };
    case "PRICE_IMPACT_TOO_HIGH":
      return {
        title: "This swap would move the price too far",
        advice: `You would lose ${hints.priceImpactBps ? percent(hints.priceImpactBps) : "most"} of its value to price impact. Swap less at a time.`,
      };
    case "MIN_AMOUNT_OUT_TOO_HIGH":
      return { title: "The price moved", advice: "It no longer pays the minimum you were shown. Look at the new quote, then swap again." };
    case "SAME_TOKEN":
      return { title: "These are the same token", advice: "MON and WMON are one asset: there is nothing to swap, only to wrap." };
    case "UNKNOWN_TOKEN":
      return { title: "A token is not known here", advice: "No pool we follow trades it. Choose another." };
    case "INVALID_AMOUNT":
      return { title: "Not an amount", advice: "Write a number above zero, decimals behind a point." };
    case "INVALID_ADDRESS":
    case "INVALID_CHECKSUM":
      return { title: "The recipient's address has a mistake in it", advice: "Compare it with its source, character by character." };
    case "INVALID_RECIPIENT":
      return { title: "The recipient cannot be paid", advice: "It is a contract that would keep the tokens for ever. Use an account." };
    case "UNKNOWN_SOURCE":
      return { title: "An excluded source is gone", advice: "Allow all sources, then exclude again.", excluded: true };
    case "STATE_STALE":
      return { title: "The market is catching up with the chain", advice: "No quote is better than an old one. It comes back by itself." };
    case "RATE_LIMITED":
    case "TIMEOUT":
      return { title: "The service is busy", advice: "The page asks again by itself." };
    case "INTERNAL":
      return { title: "The service made a mistake", advice: "It has been logged. Please try again." };
    default:
      return { title: "This cannot be quoted", advice: detail };
  }
}
