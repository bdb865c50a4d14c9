// What the visitor should know before swapping. Most of it repeats each block,
// so it is announced politely.

import { isAddress } from "viem";
import { percent, short } from "./amount";
import { other } from "./action";
import { dips } from "./funds";
import { FEARED_BPS, gentler, guard, NOTABLE_BPS, suspicious } from "./impact";
import { likeness, warningOf } from "./lookalike";
import { answer, quote } from "./answer";
import { enter, excluded, misread, recipient, tokenIn, tokenOut } from "./order";
import { verified } from "./tokens";
import { explain } from "./words";

/** The recipient, loud where it is another than the payer. */
export function RecipientNote() {
  if (!other.value) return null;
  return (
    <div class="note bad recipient" role="status">
      <b>{isAddress(other.value) ? "Another address receives the tokens" : "The recipient is no address"}</b>
      <code class="address">{other.value}</code>
      <button type="button" class="offer" onClick={() => (recipient.value = "")}>
        Pay my own account
      </button>
    </div>
  );
}

/** Why there is no quote, and a way out where there is one. It stands where the figures would. */
export function Failure() {
  const out = tokenOut.value;
  if (answer.value.kind !== "failed" || !out) return null;
  const { title, advice, amount, excluded: sources } = explain(answer.value.error, tokenIn.value, out);
  return (
    <div class="note bad" role="status">
      <b>{title}.</b> {advice}
      {amount !== undefined && (
        <button type="button" class="offer" onClick={() => enter(amount)}>
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
      {suspicious.value !== undefined && (
        <div class="note bad">
          <b>Too good to be true.</b> You would receive {Math.round(suspicious.value * 100).toLocaleString()}% more than you pay. Either price may be wrong, or a token may
          not be what it seems: look at its address.
        </div>
      )}
      {dips.value && (
        <div class="note">
          <b>The 10 MON reserve.</b> Monad may refuse a transaction that spends an account down below 10 MON, though the route is right.
        </div>
      )}
    </div>
  );
}

/** What the link that opened the page names and this market does not have. */
const LinkNotes = () => (
  <>
    {misread.value.map((text) => (
      <div class="note bad" key={text}>
        {text}
      </div>
    ))}
  </>
);

/** Tokens that nobody vouches for, and those that look like others. */
function TokenNotes() {
  const doubtful = [tokenIn.value, tokenOut.value].filter((token) => token && !token.isVerified);
  return (
    <>
      {doubtful.map((token) => {
        const like = likeness(token!, verified.value);
        return (
          <div class={like ? "note bad" : "note"} key={token!.address}>
            <b>{warningOf(token!, like)}</b> Its address:
            <code class="address">{token!.address}</code>
          </div>
        );
      })}
    </>
  );
}

function ImpactNote() {
  const bps = quote.value?.priceImpactBps ?? 0;
  const less = gentler.value;
  if (bps < NOTABLE_BPS || (bps < FEARED_BPS && !less)) return null;
  return (
    <div class={bps >= FEARED_BPS ? "note bad" : "note"}>
      <b>
        {bps >= FEARED_BPS ? "High price impact" : "Price impact"}: {percent(bps)}.
      </b>{" "}
      {guard.value === "refuses" ? "The service makes no swap that loses so much." : "The market is shallow for this amount. Smaller swaps lose less."}
      {less && (
        <button type="button" class="offer" onClick={() => enter(less.amount)}>
          Use {short(less.amount, tokenIn.value.decimals)} {tokenIn.value.symbol}: {percent(less.bps)} impact
        </button>
      )}
    </div>
  );
}
