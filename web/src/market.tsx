// The market page: state, sources and tokens.

import { computed, signal } from "@preact/signals";
import { usd } from "./amount";
import { get, type Market } from "./api";
import { notReadyReason, block, visible, updatedAt, secondsSince } from "./connection";
import { Figure } from "./figure";
import { mount } from "./frame";
import { Logo, Verified } from "./icons";

const market = signal<Market | undefined>(undefined);
const filter = signal("");

/** Requests /market, which is large: rarely, as the header polls /readyz more often. */
async function refresh(): Promise<void> {
  if (visible.value) market.value = await get<Market>("/market").catch(() => market.value);
  setTimeout(() => void refresh(), market.value ? 15_000 : 1000);
}

const live = computed(() => market.value?.sources.filter((source) => source.status === "live") ?? []);
const liquidity = computed(() => market.value?.sources.reduce((sum, source) => sum + Number(source.liquidityUsd), 0) ?? 0);

function Page() {
  const m = market.value;
  const ageSeconds = updatedAt.value === undefined ? undefined : secondsSince(updatedAt.value);
  return (
    <div class={m ? "market" : "market loading"} aria-busy={!m}>
      <div class="bar">
        <h1>Market</h1>
      </div>
      <section class="card figures" aria-label="State of the market">
        <Figure name="Newest block" value={block.value ? block.value.number.toLocaleString() : "–"} note={block.value ? "of the chain" : ""} />
        <Figure name="Age of the market" value={ageSeconds === undefined ? "–" : `${ageSeconds} s`} note={notReadyReason.value || "since it was last that of the newest block"} tone={ageSeconds !== undefined && ageSeconds > 5 ? "bad" : "good"} />
        <Figure name="Sources" value={m ? `${live.value.length} of ${m.sources.length} live` : "–"} note={m ? `${m.sources.reduce((sum, s) => sum + s.usablePools, 0).toLocaleString()} pools with liquidity` : ""} tone={m && live.value.length < m.sources.length ? "warn" : ""} />
        <Figure name="Liquidity" value={m ? usd(liquidity.value, "compact") || "–" : "–"} note={m ? `${m.tokens.length} tokens` : ""} />
      </section>
      <section class="card" aria-labelledby="sources">
        <div class="bar"><h2 id="sources">Sources</h2></div>
        <Sources />
      </section>
      <section class="card" aria-labelledby="tokens">
        <div class="bar">
          <h2 id="tokens">Tokens</h2>
          <input type="text" class="filter" aria-label="Find a token" placeholder="Find a token" value={filter.value} onInput={(event) => (filter.value = event.currentTarget.value)} />
        </div>
        <Tokens />
      </section>
    </div>
  );
}

const statusLabels = { live: "live", paused: "paused", off: "off" };

function Sources() {
  const list = [...(market.value?.sources ?? [])].sort((a, b) => Number(b.liquidityUsd) - Number(a.liquidityUsd));
  const largest = Number(list[0]?.liquidityUsd ?? 1) || 1;
  return (
    <div class="scroll tall" tabIndex={0} role="group" aria-label="Table of sources">
      <table>
        <thead>
          <tr>
            <th scope="col">Source</th>
            <th scope="col">Type</th>
            <th scope="col" class="sum">Pools</th>
            <th scope="col" class="sum">Liquidity</th>
            <th scope="col"><span class="hidden">Share of liquidity</span></th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {list.map((source) => (
            <tr key={source.id}>
              <td>
                <b>{source.name || source.id}</b>
              </td>
              <td>
                <span class={`key tone-${source.type}`}>
                  <i /> {source.type}
                </span>
              </td>
              <td class="number sum" title="usable of all">
                {source.usablePools === source.pools ? source.pools : `${source.usablePools} of ${source.pools}`}
              </td>
              <td class="number sum">{usd(source.liquidityUsd, "compact") || "–"}</td>
              <td class="share">
                <i class={`tone-${source.type}`} style={{ width: `${(Number(source.liquidityUsd) / largest) * 100}%` }} />
              </td>
              <td>
                <span class={`state ${source.status}`}>{statusLabels[source.status] ?? source.status}</span> <small class="soft">{source.reason}</small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Tokens() {
  const text = filter.value.trim().toLowerCase();
  const list = (market.value?.tokens ?? []).filter(
    (token) => !text || token.symbol.toLowerCase().includes(text) || token.name.toLowerCase().includes(text) || token.address.toLowerCase() === text,
  );
  return (
    <div class="scroll tall" tabIndex={0} role="group" aria-label="Table of tokens">
      <table>
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col" class="sum">Price</th>
            <th scope="col" class="sum">Liquidity</th>
            <th scope="col">Address</th>
          </tr>
        </thead>
        <tbody>
          {list.map((token) => (
            <tr key={token.address}>
              <td>
                <span class="named">
                  <Logo token={token} size={24} /> <b>{token.symbol}</b> {token.verified && <Verified />} <span class="soft">{token.name}</span>
                </span>
              </td>
              <td class="number sum">{usd(token.priceUsd, "price") || "–"}</td>
              <td class="number sum">{usd(token.liquidityUsd, "compact") || "–"}</td>
              <td class="mono soft">{token.address}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

mount(<Page />);
void refresh();
