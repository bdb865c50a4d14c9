// Details of the quote: its route, cost, optimality and depth, and the transaction.

import { short, usd } from "./amount";
import { announcement } from "./announce";
import { answer, quote, quoteAge, waiting } from "./answer";
import { Contract } from "./contract";
import { Curve } from "./depth";
import { Figure } from "./figure";
import { Flow } from "./flow";
import { query, tokenOut } from "./order";
import { find, NATIVE } from "./tokens";

export function QuoteDetails() {
  const q = quote.value;
  const venues = q ? new Set(q.routes.map((step) => step.factory)).size : 0;
  return (
    <div class={waiting.value ? "see pale" : "see"}>
      <p class="hidden" role="status">
        {announcement.value}
      </p>
      <section class="card" aria-labelledby="route">
        <div class="bar">
          <h2 id="route">Route</h2>
          <span class="soft number">
            {q ? `${q.routes.length} ${q.routes.length === 1 ? "step" : "steps"}, ${venues} ${venues === 1 ? "venue" : "venues"}` : ""}
          </span>
        </div>
        {q ? <Flow quote={q} find={find} /> : <Empty />}
      </section>
      <Figures />
      <section class="card" aria-labelledby="depth">
        <div class="bar">
          <h2 id="depth">Depth</h2>
          <span class="soft">price impact by size</span>
        </div>
        <Curve />
      </section>
      <Contract />
    </div>
  );
}

const Empty = () => (
  <div class="flow empty">
    <svg viewBox="0 0 400 120" aria-hidden="true" class="ghost">
      <path d="M10 30c120 0 120 60 380 60" />
      <path d="M10 90c180 0 140-60 380-60" />
      <path d="M10 60c100 0 130-30 190-30s90 30 190 30" />
    </svg>
    <p class="soft">{query.value && answer.value.kind === "none" ? "Finding the best route…" : "The route appears here."}</p>
  </div>
);

function Figures() {
  const q = quote.value;
  return (
    <section class="card figures" aria-label="Figures of this swap">
      <Gain />
      <Optimum />
      <Figure
        name="Gas, billed by the limit"
        value={q ? `${short(BigInt(q.meta.gasCostWei), NATIVE.decimals, 4)} MON` : "–"}
        note={q ? `limit ${Number(q.meta.gasLimit).toLocaleString()}` : ""}
      />
      <Figure
        name="Exact on block"
        value={q ? q.meta.blockNumber.toLocaleString() : "–"}
        note={q ? `${quoteAge.value} s old; exact to the wei on it` : ""}
      />
    </section>
  );
}

/** By how much the route pays more than the best plan on one venue alone. */
function Gain() {
  const why = quote.value?.why;
  const name = "Against one venue";
  if (!why) return <Figure name={name} value="–" note="" />;
  const alternative = why.venue;
  if (!alternative) return <Figure name={name} value="only way" note="no venue can do it alone" />;
  const gain = Number(alternative.gainUsd);
  const venue = alternative.sources[0] ?? "one venue";
  if (Math.abs(alternative.gainBps) < 0.005) return <Figure name={name} value="the same" note={`as the best single venue, ${venue}`} />;
  const more = alternative.gainBps > 0;
  const amount = usd(Math.abs(gain)) || `${Math.abs(alternative.gainBps).toFixed(2)} bps`;
  return <Figure name={name} value={`${amount} ${more ? "more" : "less"}`} note={`than the best single venue, ${venue}`} tone={more ? "good" : ""} />;
}

/** Why there is no bound, as a sentence. */
const whyNoBound = (reason = "No useful bound was found.") => (reason.startsWith("market holds arbitrage") ? `The ${reason}: pools disagree by more than one swap can take.` : reason);

/** The gap between the quote and the proved bound; if there is no bound, the reason. */
function Optimum() {
  const [q, out] = [quote.value, tokenOut.value];
  const name = "Distance to the optimum";
  const { optimalityGapBps: gap, boundAmountOut: bound, boundReason } = q?.meta ?? {};
  if (gap === undefined || !bound || !out) return <Figure name={name} value={q ? "not known" : "–"} note={q ? whyNoBound(boundReason) : ""} />;
  return <Figure name={name} value={`≤ ${gap.toFixed(2)} bps`} note={`no route can pay more than ${short(BigInt(bound), out.decimals, 8)}`} />;
}
