// The confirmation before the wallet opens: the amounts of the transaction that will be
// signed, decoded from its calldata.

import { percent, short, shortAddress, usd, exactLocalized } from "./amount";
import { currentOrder, otherRecipient } from "./action";
import { TransactionText } from "./contract";
import { HIGH_IMPACT_BPS, suspiciousGain } from "./impact";
import { lookalikeOf, warningOf } from "./lookalike";
import { answer, connection, quote, waiting } from "./answer";
import { slippageBps } from "./order";
import { value } from "./prices";
import { networkCost, Row } from "./receipt";
import { execute, DEADLINE_S, propose, type Order, type Proposal } from "./send";
import { NATIVE, verified } from "./tokens";

/** A transaction older than this is requested again, as its deadline is near. An age, because the user's clock may be wrong. */
const MAX_AGE_MS = (DEADLINE_S - 60) * 1000;

/** Why a proposal should not be signed; undefined if it may be. */
function reasonNotToSign({ terms, createdAt }: Proposal): string | undefined {
  if (Date.now() - createdAt > MAX_AGE_MS) return "This transaction is too old to be signed.";
  if (quote.value && !waiting.value && BigInt(quote.value.amountOut) < terms.minOut) return "The price moved: the swap now pays less than this minimum, and would be undone.";
  return undefined;
}

export function Confirm({ order, proposal }: { order: Order; proposal: Proposal }) {
  const { tokenIn, tokenOut } = order;
  const { swap, terms, needsApproval } = proposal;
  const amount = (raw: bigint, token: typeof tokenIn) => `${exactLocalized(raw, token.decimals)} ${token.symbol}`;
  const cost = BigInt(swap.meta.gasCostWei);
  const costUsd = value(cost, NATIVE);
  const receivedUsd = Number(swap.amountOutUsd);
  const problem = reasonNotToSign(proposal);
  const newQuote = quote.value && BigInt(quote.value.amountOut) < terms.minOut ? quote.value : undefined;
  return (
    <div class="confirm">
      <div class="exchange">
        <Line name="You pay" raw={terms.amountIn} token={tokenIn} valueUsd={swap.amountInUsd} />
        <Line name="You receive, about" raw={BigInt(swap.amountOut)} token={tokenOut} valueUsd={swap.amountOutUsd} />
      </div>
      <Warnings order={order} bps={swap.priceImpactBps} />
      <dl class="receipt">
        <Row name="At least" value={amount(terms.minOut, tokenOut)} strong />
        <Row name="Slippage" value={percent(slippageBps.value)} tone={slippageBps.value > 300 ? "warn" : ""} />
        <Row name="Price impact" value={percent(swap.priceImpactBps)} tone={swap.priceImpactBps >= HIGH_IMPACT_BPS ? "bad" : ""} />
        <Row name="Network cost" value={networkCost(cost)} />
        <Row name="Net received" value={receivedUsd > 0 && costUsd !== undefined ? `${receivedUsd < costUsd ? "−" : ""}${usd(Math.abs(receivedUsd - costUsd)) || "$0.00"} after the network cost` : "no price known"} />
        <Row name="Recipient" value={otherRecipient.value ? terms.recipient : `your account, ${shortAddress(terms.recipient)}`} tone={otherRecipient.value ? "bad mono" : ""} />
      </dl>
      {needsApproval && <p class="soft">Your wallet asks for two things: to allow the Router exactly {amount(terms.amountIn, tokenIn)}, then the swap. After the approval the route is found anew; the terms above stay.</p>}
      <details class="signed">
        <summary>What you sign</summary>
        <TransactionText swap={swap} />
      </details>
      <div class="freshness" role="status">
        {problem ? (
          <p class="bad">
            <b>{problem}</b> {newQuote && `It pays ${amount(BigInt(newQuote.amountOut), tokenOut)} now.`}
          </p>
        ) : answer.value.kind === "failed" || connection.value !== "live" ? (
          <p class="bad">No fresh price: the service does not quote this swap now.</p>
        ) : (
          <p class="soft">The market pays this minimum as of block {(quote.value?.meta.blockNumber ?? swap.meta.blockNumber).toLocaleString()}.</p>
        )}
      </div>
      {problem ? (
        <button type="button" class="action" disabled={!quote.value || waiting.value || connection.value !== "live"} onClick={() => void propose(currentOrder())}>
          {newQuote ? `Use the new price: at least ${short(BigInt(newQuote.meta.minAmountOut), tokenOut.decimals)} ${tokenOut.symbol}` : "Request it again"}
        </button>
      ) : (
        <button
          type="button"
          class={swap.priceImpactBps >= HIGH_IMPACT_BPS || otherRecipient.value ? "action danger" : "action"}
          disabled={answer.value.kind === "failed" || connection.value !== "live"}
          onClick={() => void execute(order, proposal)}
        >
          Confirm swap{otherRecipient.value && ` to ${shortAddress(terms.recipient)}`}
        </button>
      )}
    </div>
  );
}

function Line({ name, raw, token, valueUsd }: { name: string; raw: bigint; token: Order["tokenIn"]; valueUsd: string }) {
  return (
    <div>
      <span class="soft">{name}</span>
      <b class="number">
        {exactLocalized(raw, token.decimals)} {token.symbol}
      </b>
      <span class="soft number">{usd(valueUsd)}</span>
    </div>
  );
}

/** All warnings of the form, shown again before the signature. */
function Warnings({ order, bps }: { order: Order; bps: number }) {
  const warnings = [order.tokenIn, order.tokenOut].filter((token) => !token.isVerified).map((token) => `${warningOf(token, lookalikeOf(token, verified.value))} Its address is ${token.address}.`);
  if (otherRecipient.value) warnings.unshift(`Another address receives the tokens: ${order.recipient}.`);
  if (bps >= HIGH_IMPACT_BPS) warnings.push(`You lose ${percent(bps)} to price impact.`);
  if (suspiciousGain.value !== undefined) warnings.push("You would receive far more than you pay: one of the prices may be wrong.");
  return (
    <>
      {warnings.map((text) => (
        <p class="note bad address" key={text}>
          {text}
        </p>
      ))}
    </>
  );
}
