// What others hide: where the money goes, what it costs, how good it is.

import { short, usd } from "./amount";
import { answer, quote, waiting } from "./answer";
import { Contract } from "./contract";
import { Curve } from "./depth";
import { Flow, StepTable } from "./flow";
import { query, tokenOut } from "./order";
import { find, NATIVE } from "./tokens";

export function See() {
  const q = quote.value;
  const venues = q ? new Set(q.routes.map((step) => step.factory)).size : 0;
  return (
    <div class={waiting.value ? "see pale" : "see"}>
      <section class="card" aria-labelledby="route">
        <div class="bar">
          <h2 id="route">Route</h2>
          <span class="soft number">
            {q ? `${q.routes.length} ${q.routes.length === 1 ? "step" : "steps"}, ${venues} ${venues === 1 ? "venue" : "venues"}` : ""}
          </span>
        </div>
        {q ? <Flow quote={q} find={find} /> : <Empty />}
        {q && (
          <details>
            <summary>Step by step</summary>
            <StepTable quote={q} find={find} />
          </details>
        )}
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
  const out = tokenOut.value;
  const gap = q?.meta.optimalityGapBps;
  const rival = q?.why?.venue;
  return (
    <section class="card figures" aria-label="Figures of this swap">
      <Figure
        name="Gain over the best single venue"
        value={rival ? `${rival.gainBps >= 0 ? "+" : ""}${rival.gainBps.toFixed(rival.gainBps < 100 ? 2 : 0)} bps` : q?.why ? "only way" : "–"}
        note={rival ? `${usd(rival.gainUsd) || "$0.00"} more than ${rival.sources[0] ?? "one venue"} alone` : q?.why ? "no venue can do it alone" : ""}
        tone={rival && rival.gainBps > 0 ? "good" : ""}
      />
      <Figure
        name="Distance to the optimum"
        value={gap === undefined ? "–" : gap < 100 ? `≤ ${gap.toFixed(2)} bps` : "loose bound"}
        note={
          gap === undefined || !q?.meta.boundAmountOut || !out
            ? ""
            : gap < 100
              ? `no route can pay more than ${short(BigInt(q.meta.boundAmountOut), out.decimals, 8)}`
              : "the ceiling counts arbitrage no swap can use"
        }
      />
      <Figure
        name="Gas, billed by the limit"
        value={q ? `${short(BigInt(q.meta.gasCostWei), NATIVE.decimals, 4)} MON` : "–"}
        note={q ? `limit ${Number(q.meta.gasLimit).toLocaleString("en-US")}` : ""}
      />
      <Figure
        name="Exact on block"
        value={q ? q.meta.blockNumber.toLocaleString("en-US") : "–"}
        note={q ? "mined on this state, it pays the quote to the wei" : ""}
      />
    </section>
  );
}

function Figure({ name, value, note, tone = "" }: { name: string; value: string; note: string; tone?: string }) {
  return (
    <div class="figure">
      <span class="soft">{name}</span>
      <b class={`number ${tone}`}>{value}</b>
      <small class="soft number">{note}</small>
    </div>
  );
}
