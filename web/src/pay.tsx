// What the visitor pays: the amount field, what it was understood as, and shares of the balance.

import { useSignal } from "@preact/signals";
import { exact, short, usdBrief } from "./amount";
import { balance, max, share } from "./funds";
import { spaced } from "./interpret";
import { quote, waiting } from "./answer";
import { amountIn, enter, reading, tokenIn, typed } from "./order";
import { forDollars } from "./prices";
import { TokenButton } from "./choice";

export function Pay() {
  const { decimals } = tokenIn.value;
  return (
    <div class="side">
      <div class="line">
        <label for="amount">You pay</label>
        {balance.value !== undefined && (
          <span class="soft number held">
            Balance {short(balance.value, decimals, 7)}
          </span>
        )}
      </div>
      <div class="line">
        <AmountField />
        <TokenButton side="in" chosen={tokenIn.value} />
      </div>
      <div class="line shares">
        <span class="soft number usd">{quote.value && !waiting.value ? usdBrief(quote.value.amountInUsd) : ""}</span>
        {balance.value !== undefined && balance.value > 0n && (
          <span class="pick">
            {[25n, 50n, 75n].map((percent) => (
              <button type="button" key={percent} onClick={() => share(percent)}>
                {String(percent)}%
              </button>
            ))}
            <button type="button" onClick={() => void max()}>
              Max
            </button>
          </span>
        )}
      </div>
      <AmountNote />
    </div>
  );
}

/** Groups digits while it is not edited; shows just what was typed while it is. */
function AmountField() {
  const edited = useSignal(false);
  const { decimals } = tokenIn.value;
  const shown = !edited.value && amountIn.value ? spaced(amountIn.value, decimals) : typed.value;
  return (
    <input
      id="amount"
      class="amount number"
      inputMode="decimal"
      autocomplete="off"
      spellcheck={false}
      placeholder="0"
      style={{ "--length": Math.max(shown.length, 1) }}
      value={shown}
      aria-invalid={reading.value.kind === "wrong" || reading.value.kind === "either"}
      aria-describedby="amount-note"
      onFocus={(event) => {
        // At once: a key that comes before the next frame must not meet the grouped text.
        const field = event.currentTarget;
        // A caret at the very beginning is none yet: the mouse puts it elsewhere after this, and what was selected before is not told.
        const all = field.selectionStart === 0 && [0, field.value.length].includes(field.selectionEnd!);
        if (field.value !== typed.value) field.setRangeText(typed.value, 0, field.value.length, all ? "select" : "end");
        edited.value = true;
      }}
      onBlur={() => (edited.value = false)}
      onInput={(event) => (typed.value = event.currentTarget.value)}
    />
  );
}

/** What the text was understood as, where that is not plain to see; or what is wrong with it, and what would do. */
function AmountNote() {
  const { symbol, decimals } = tokenIn.value;
  const meant = reading.value;
  const offers = meant.kind === "either" ? meant.raws : meant.kind === "dollars" ? [forDollars(meant.usd, tokenIn.value)].filter((raw) => raw !== undefined) : [];
  return (
    <div id="amount-note" class="amount-note" role="status">
      {meant.kind === "wrong" && <p class="bad">{meant.why}</p>}
      {meant.kind === "either" && <p>This can be read in two ways. Which one?</p>}
      {meant.kind === "dollars" && <p>{offers.length ? "Dollars are not tokens. At the present price it is about:" : `No price of ${symbol} is known: write an amount of it.`}</p>}
      {meant.kind === "amount" && !/^\d*\.?\d*$/.test(typed.value) && <p class="soft number">Read as {spaced(meant.raw, decimals)} {symbol}</p>}
      {offers.length > 0 && (
        <div class="offers">
          {offers.map((raw) => (
            <button type="button" key={raw} onClick={() => enter(raw)}>
              {meant.kind === "dollars" ? `≈ ${short(raw, decimals)}` : exact(raw, decimals)} {symbol}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
