// What is known about an unverified token, shown before it is used.

import { usd } from "./amount";
import type { Token } from "./api";
import { Logo } from "./icons";
import { lookalikeOf, warningOf } from "./lookalike";
import { liquidity, price } from "./prices";
import { accept, verified } from "./tokens";

export function RiskCard({ token, accept: choose, back }: { token: Token; accept(token: Token): void; back(): void }) {
  const lookalike = lookalikeOf(token, verified.value);
  const [liquidityUsd, unitPrice] = [liquidity(token), price(token)];
  return (
    <div class="risk">
      <p class="pair">
        <Logo token={token} /> {token.symbol} <span class="soft">{token.name}</span>
      </p>
      <div class={lookalike ? "note bad" : "note"} role="alert">
        {warningOf(token, lookalike)}
      </div>
      <dl class="receipt">
        <div>
          <dt>Verified</dt>
          <dd>no</dd>
        </div>
        <div>
          <dt>Liquidity</dt>
          <dd class={liquidityUsd !== undefined && liquidityUsd < 10_000 ? "warn number" : "number"}>{liquidityUsd ? usd(liquidityUsd, "compact") : "not known"}</dd>
        </div>
        <div>
          <dt>Price</dt>
          <dd class="number">{unitPrice ? usd(unitPrice, "price") : "not known"}</dd>
        </div>
        <div>
          <dt>Decimals</dt>
          <dd class="number">{token.decimals}</dd>
        </div>
      </dl>
      <p class="soft">Its address. Compare it with where you heard of the token:</p>
      <code class="address">{token.address}</code>
      <button type="button" class="action danger" onClick={() => (accept(token), choose(token))}>
        Use this token
      </button>
      <button type="button" class="plain tall-target" onClick={back}>
        Back to the list
      </button>
    </div>
  );
}
