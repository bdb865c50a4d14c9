// The sheet before the wallet opens: the money of the very transaction that
// will be signed, as its bytes say it.

import { percent, short, shortAddress, usd, written } from "./amount";
import { deal as current, other } from "./action";
import { Sentences } from "./contract";
import { FEARED_BPS, suspicious } from "./impact";
import { likeness, warningOf } from "./lookalike";
import { answer, connection, quote, waiting } from "./answer";
import { slippageBps } from "./order";
import { value } from "./prices";
import { networkCost, Row } from "./receipt";
import { carryOut, DEADLINE_S, propose, type Deal, type Offer } from "./send";
import { NATIVE, verified } from "./tokens";

/** Older than this, a transaction is made anew: its deadline is near. By the visitor's clock, so an age and not a date. */
const OLD_MS = (DEADLINE_S - 60) * 1000;

/** Why an offer should not be signed as it stands; undefined while it may be. */
function outdated({ terms, at }: Offer): string | undefined {
  if (Date.now() - at > OLD_MS) return "This transaction is too old to be signed.";
  if (quote.value && !waiting.value && BigInt(quote.value.amountOut) < terms.minOut) return "The price moved: the swap now pays less than this minimum, and would be undone.";
  return undefined;
}

export function Confirm({ deal, offer }: { deal: Deal; offer: Offer }) {
  const { tokenIn, tokenOut } = deal;
  const { swap, terms, approves } = offer;
  const amount = (raw: bigint, token: typeof tokenIn) => `${written(raw, token.decimals)} ${token.symbol}`;
  const cost = BigInt(swap.meta.gasCostWei);
  const costUsd = value(cost, NATIVE);
  const got = Number(swap.amountOutUsd);
  const old = outdated(offer);
  const fresh = quote.value && BigInt(quote.value.amountOut) < terms.minOut ? quote.value : undefined;
  return (
    <div class="confirm">
      <div class="exchange">
        <Line name="You pay" raw={terms.amountIn} token={tokenIn} worth={swap.amountInUsd} />
        <Line name="You receive, about" raw={BigInt(swap.amountOut)} token={tokenOut} worth={swap.amountOutUsd} />
      </div>
      <Doubts deal={deal} bps={swap.priceImpactBps} />
      <dl class="receipt">
        <Row name="At least" value={amount(terms.minOut, tokenOut)} strong />
        <Row name="Slippage" value={percent(slippageBps.value)} tone={slippageBps.value > 300 ? "warn" : ""} />
        <Row name="Price impact" value={percent(swap.priceImpactBps)} tone={swap.priceImpactBps >= FEARED_BPS ? "bad" : ""} />
        <Row name="Network cost" value={networkCost(cost)} />
        <Row name="Net received" value={got > 0 && costUsd !== undefined ? `${got < costUsd ? "−" : ""}${usd(Math.abs(got - costUsd)) || "$0.00"} after the network cost` : "no price known"} />
        <Row name="Recipient" value={other.value ? terms.recipient : `your account, ${shortAddress(terms.recipient)}`} tone={other.value ? "bad mono" : ""} />
      </dl>
      {approves && <p class="soft">Your wallet asks for two things: to allow the Router exactly {amount(terms.amountIn, tokenIn)}, then the swap. After the approval the route is found anew; the terms above stay.</p>}
      <details class="signed">
        <summary>What you sign</summary>
        <Sentences offer={swap} />
      </details>
      <div class="freshness" role="status">
        {old ? (
          <p class="bad">
            <b>{old}</b> {fresh && `It pays ${amount(BigInt(fresh.amountOut), tokenOut)} now.`}
          </p>
        ) : answer.value.kind === "failed" || connection.value !== "live" ? (
          <p class="bad">No fresh price: the service does not quote this swap now.</p>
        ) : (
          <p class="soft">The market pays this minimum as of block {(quote.value?.meta.blockNumber ?? swap.meta.blockNumber).toLocaleString()}.</p>
        )}
      </div>
      {old ? (
        <button type="button" class="action" disabled={!quote.value || waiting.value || connection.value !== "live"} onClick={() => void propose(current())}>
          {fresh ? `Use the new price: at least ${short(BigInt(fresh.meta.minAmountOut), tokenOut.decimals)} ${tokenOut.symbol}` : "Make it anew"}
        </button>
      ) : (
        <button
          type="button"
          class={swap.priceImpactBps >= FEARED_BPS || other.value ? "action fear" : "action"}
          disabled={answer.value.kind === "failed" || connection.value !== "live"}
          onClick={() => void carryOut(deal, offer)}
        >
          Confirm swap{other.value && ` to ${shortAddress(terms.recipient)}`}
        </button>
      )}
    </div>
  );
}

function Line({ name, raw, token, worth }: { name: string; raw: bigint; token: Deal["tokenIn"]; worth: string }) {
  return (
    <div>
      <span class="soft">{name}</span>
      <b class="number">
        {written(raw, token.decimals)} {token.symbol}
      </b>
      <span class="soft number">{usd(worth)}</span>
    </div>
  );
}

/** What speaks against the swap, said once more where it is signed. */
function Doubts({ deal, bps }: { deal: Deal; bps: number }) {
  const doubts = [deal.tokenIn, deal.tokenOut].filter((token) => !token.isVerified).map((token) => `${warningOf(token, likeness(token, verified.value))} Its address is ${token.address}.`);
  if (other.value) doubts.unshift(`Another address receives the tokens: ${deal.recipient}.`);
  if (bps >= FEARED_BPS) doubts.push(`You lose ${percent(bps)} to price impact.`);
  if (suspicious.value !== undefined) doubts.push("You would receive far more than you pay: one of the prices may be wrong.");
  return (
    <>
      {doubts.map((text) => (
        <p class="note bad address" key={text}>
          {text}
        </p>
      ))}
    </>
  );
}
