// Notes and warnings below the form. Most of them are the same at each block, so they
// are polite live regions.

import { isAddress } from "viem";
import { percent, short } from "./amount";
import { otherRecipient } from "./action";
import { belowReserve } from "./funds";
import { HIGH_IMPACT_BPS, smallerOffer, guard, NOTABLE_IMPACT_BPS, suspiciousGain } from "./impact";
import { lookalikeOf, warningOf } from "./lookalike";
import { answer, quote } from "./answer";
import { setAmount, excluded, linkErrors, recipient, tokenIn, tokenOut } from "./order";
import { verified } from "./tokens";
import { explain } from "./explain";

/** A warning if the recipient is not the connected account. */
export function RecipientNote() {
  if (!otherRecipient.value) return null;
  return (
    <div class="note bad recipient" role="status">
      <b>{isAddress(otherRecipient.value) ? "Another address receives the tokens" : "The recipient is no address"}</b>
      <code class="address">{otherRecipient.value}</code>
      <button type="button" class="offer" onClick={() => (recipient.value = "")}>
        Pay my own account
      </button>
    </div>
  );
}

/** Why there is no quote, and what would work, in the place of the figures. */
export function Failure() {
  const out = tokenOut.value;
  if (answer.value.kind !== "failed" || !out) return null;
  const { title, advice, amount, excluded: sources } = explain(answer.value.error, tokenIn.value, out);
  return (
    <div class="note bad" role="status">
      <b>{title}.</b> {advice}
      {amount !== undefined && (
        <button type="button" class="offer" onClick={() => setAmount(amount)}>
          Use {short(amount, tokenIn.value.decimals)} {tokenIn.value.symbol}
        </button>
      )}
      {sources && (
        <button type="button" class="offer" onClick={() => (excluded.value = [])}>
          Allow all sources
        </button>
      )}
    </div>
  );
}

export function Notes() {
  return (
    <div class="notes" role="status">
      <LinkNotes />
      <TokenNotes />
      <ImpactNote />
      {suspiciousGain.value !== undefined && (
        <div class="note bad">
          <b>Too good to be true.</b> You would receive {Math.round(suspiciousGain.value * 100).toLocaleString()}% more than you pay. Either price may be wrong, or a token may
          not be what it seems: look at its address.
        </div>
      )}
      {belowReserve.value && (
        <div class="note">
          <b>The 10 MON reserve.</b> Monad may refuse a transaction that spends an account down below 10 MON, though the route is right.
        </div>
      )}
    </div>
  );
}

/** What is wrong with the link that opened the page. */
const LinkNotes = () => (
  <>
    {linkErrors.value.map((text) => (
      <div class="note bad" key={text}>
        {text}
      </div>
    ))}
  </>
);

/** Warnings about unverified tokens, and about those that look like verified ones. */
function TokenNotes() {
  const unverified = [tokenIn.value, tokenOut.value].filter((token) => token && !token.isVerified);
  return (
    <>
      {unverified.map((token) => {
        const lookalike = lookalikeOf(token!, verified.value);
        return (
          <div class={lookalike ? "note bad" : "note"} key={token!.address}>
            <b>{warningOf(token!, lookalike)}</b> Its address:
            <code class="address">{token!.address}</code>
          </div>
        );
      })}
    </>
  );
}

function ImpactNote() {
  const bps = quote.value?.priceImpactBps ?? 0;
  const smaller = smallerOffer.value;
  if (bps < NOTABLE_IMPACT_BPS || (bps < HIGH_IMPACT_BPS && !smaller)) return null;
  return (
    <div class={bps >= HIGH_IMPACT_BPS ? "note bad" : "note"}>
      <b>
        {bps >= HIGH_IMPACT_BPS ? "High price impact" : "Price impact"}: {percent(bps)}.
      </b>{" "}
      {guard.value === "refuses" ? "The service makes no swap that loses so much." : "The market is shallow for this amount. Smaller swaps lose less."}
      {smaller && (
        <button type="button" class="offer" onClick={() => setAmount(smaller.amount)}>
          Use {short(smaller.amount, tokenIn.value.decimals)} {tokenIn.value.symbol}: {percent(smaller.bps)} impact
        </button>
      )}
    </div>
  );
}
