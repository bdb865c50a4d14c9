import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isAddress } from "viem";
import { get, type Source } from "./api";
import { Dialog } from "./dialog";
import { excluded, recipient, slippageBps } from "./order";

const sources = signal<Source[]>([]);

const presets = [10, 50, 100];

export function Settings({ close }: { close(): void }) {
  useEffect(() => {
    void get<{ sources: Source[] }>("/liquidity-sources").then((body) => {
      const ids = new Map(body.sources.map((source) => [source.id, source]));
      sources.value = [...ids.values()];
    }, () => undefined);
  }, []);
  return (
    <Dialog title="Settings" close={close}>
      <Slippage />
      <Recipient />
      <fieldset>
        <legend>Sources</legend>
        <p class="soft">Routes use those that are ticked.</p>
        <div class="sources">
          {sources.value.map(({ id, type }) => (
            <label key={id}>
              <input
                type="checkbox"
                checked={!excluded.value.includes(id)}
                onChange={(event) =>
                  (excluded.value = event.currentTarget.checked ? excluded.value.filter((other) => other !== id) : [...excluded.value, id])
                }
              />
              <span>{id}</span> <small class="soft">{type}</small>
            </label>
          ))}
        </div>
        <p>
          <button type="button" class="link" disabled={!excluded.value.length} onClick={() => (excluded.value = [])}>
            Allow all
          </button>
        </p>
      </fieldset>
    </Dialog>
  );
}

function toBps(text: string): number | undefined {
  const percent = text.replace(",", ".").replace(/ ?%$/, "");
  const bps = Math.round(Number(percent) * 100);
  return /^\d{1,2}(\.\d{1,2})?$/.test(percent) && bps <= 5000 ? bps : undefined;
}

function Slippage() {
  const text = useSignal(presets.includes(slippageBps.value) ? "" : String(slippageBps.value / 100));
  const valid = text.value === "" || toBps(text.value) !== undefined;
  return (
    <fieldset>
      <legend>Slippage</legend>
      <p class="soft">If the price moves against you by more than this before the swap is mined, it is undone.</p>
      <div class="pills">
        {presets.map((value) => (
          <button type="button" key={value} aria-pressed={slippageBps.value === value} onClick={() => ((slippageBps.value = value), (text.value = ""))}>
            {value / 100}%
          </button>
        ))}
        <label>
          <input
            type="text"
            inputMode="decimal"
            aria-label="Another slippage, in percent"
            placeholder="Other"
            aria-invalid={!valid}
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value.trim();
              slippageBps.value = toBps(text.value) ?? slippageBps.value;
            }}
          />
          %
        </label>
      </div>
      {!valid && <p class="trouble">Between 0 and 50, with at most two decimals.</p>}
      {slippageBps.value > 300 && <p class="warn">Wide. Others may trade ahead of you and keep the difference.</p>}
    </fieldset>
  );
}

function Recipient() {
  const to = recipient.value.trim();
  const invalid = to !== "" && !isAddress(to);
  return (
    <fieldset>
      <legend>Recipient</legend>
      <p class="soft">Who receives the tokens. Empty: the account that pays.</p>
      <input
        type="text"
        class="mono wide"
        aria-label="Recipient's address"
        placeholder="0x…"
        autocomplete="off"
        spellcheck={false}
        aria-invalid={invalid}
        value={recipient.value}
        onInput={(event) => (recipient.value = event.currentTarget.value)}
      />
      {invalid && <p class="trouble">Not an address, or its checksum is wrong.</p>}
    </fieldset>
  );
}
