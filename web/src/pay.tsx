// The amount that the user pays: the field, how its text was parsed, and shares of the balance.

import { useSignal } from "@preact/signals";
import { exact, short, usdBrief } from "./amount";
import { balance, enterMax, enterShare } from "./funds";
import { groupDigits } from "./interpret";
import { quote, waiting } from "./answer";
import { amountIn, setAmount, parsedAmount, tokenIn, amountText } from "./order";
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
              <button type="button" key={percent} onClick={() => enterShare(percent)}>
                {String(percent)}%
              </button>
            ))}
            <button type="button" onClick={() => void enterMax()}>
              Max
            </button>
          </span>
        )}
      </div>
      <AmountNote />
    </div>
  );
}

/** The amount field. It shows the text as typed while it is edited, and grouped digits otherwise. */
function AmountField() {
  const editing = useSignal(false);
  const { decimals } = tokenIn.value;
  const shown = !editing.value && amountIn.value ? groupDigits(amountIn.value, decimals) : amountText.value;
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
      aria-invalid={parsedAmount.value.kind === "invalid" || parsedAmount.value.kind === "ambiguous"}
      aria-describedby="amount-note"
      onFocus={(event) => {
        // Synchronously: a key pressed before the next frame must not edit the grouped text.
        const field = event.currentTarget;
        // A caret at position 0 is not set yet: the mouse sets it after this event. What was selected before is not known.
        const selectAll = field.selectionStart === 0 && [0, field.value.length].includes(field.selectionEnd!);
        if (field.value !== amountText.value) field.setRangeText(amountText.value, 0, field.value.length, selectAll ? "select" : "end");
        editing.value = true;
      }}
      onBlur={() => (editing.value = false)}
      onInput={(event) => (amountText.value = event.currentTarget.value)}
    />
  );
}

/** How the text was parsed if that is not obvious, or what is wrong with it and what to write instead. */
function AmountNote() {
  const { symbol, decimals } = tokenIn.value;
  const parsed = parsedAmount.value;
  const offers = parsed.kind === "ambiguous" ? parsed.raws : parsed.kind === "dollars" ? [forDollars(parsed.usd, tokenIn.value)].filter((raw) => raw !== undefined) : [];
  return (
    <div id="amount-note" class="amount-note" role="status">
      {parsed.kind === "invalid" && <p class="bad">{parsed.reason}</p>}
      {parsed.kind === "ambiguous" && <p>This can be read in two ways. Which one?</p>}
      {parsed.kind === "dollars" && <p>{offers.length ? "Dollars are not tokens. At the present price it is about:" : `No price of ${symbol} is known: write an amount of it.`}</p>}
      {parsed.kind === "amount" && !/^\d*\.?\d*$/.test(amountText.value) && <p class="soft number">Read as {groupDigits(parsed.raw, decimals)} {symbol}</p>}
      {offers.length > 0 && (
        <div class="offers">
          {offers.map((raw) => (
            <button type="button" key={raw} onClick={() => setAmount(raw)}>
              {parsed.kind === "dollars" ? `≈ ${short(raw, decimals)}` : exact(raw, decimals)} {symbol}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
