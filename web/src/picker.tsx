import { useSignal } from "@preact/signals";
import { shortAddress, short } from "./amount";
import type { Token } from "./api";
import { held } from "./holdings";
import { Dialog } from "./dialog";
import { Logo, Verified } from "./icons";
import { isNative, search } from "./tokens";

interface Props {
  title: string;
  chosen: Token | undefined;
  choose(token: Token): void;
  close(): void;
}

const shown = 80;

/** Tokens one owns come first, then the order of the list. */
function candidates(text: string): Token[] {
  const found = search(text);
  if (text.trim()) return found.slice(0, shown);
  const owned = (token: Token) => ((held.value?.get(token.address) ?? 0n) > 0n ? 0 : 1);
  return [...found].sort((a, b) => owned(a) - owned(b)).slice(0, shown);
}

export function Picker({ title, chosen, choose, close }: Props) {
  const text = useSignal("");
  const active = useSignal(0);
  const found = candidates(text.value);
  const pick = (token: Token | undefined) => token && (choose(token), close());
  const move = (to: number) => {
    active.value = Math.max(0, Math.min(found.length - 1, to));
    document.getElementById(`token-${active.value}`)?.scrollIntoView({ block: "nearest" });
  };
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(active.value + 1),
    ArrowUp: () => move(active.value - 1),
    Enter: () => pick(found[active.value]),
  };
  return (
    <Dialog title={title} close={close} class="picker">
      <input
        type="text"
        role="combobox"
        aria-label="Search by symbol, name or address"
        aria-expanded="true"
        aria-controls="tokens"
        aria-activedescendant={found.length ? `token-${active.value}` : ""}
        placeholder="Symbol, name or address"
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={text.value}
        onInput={(event) => ((text.value = event.currentTarget.value), (active.value = 0))}
        onKeyDown={(event) => {
          const act = keys[event.key];
          if (act) event.preventDefault(), act();
        }}
      />
      <div class="list" id="tokens" role="listbox" aria-label="Tokens" tabIndex={-1}>
        {found.map((token, i) => (
          <div
            key={token.address}
            id={`token-${i}`}
            role="option"
            aria-selected={token.address === chosen?.address}
            class={i === active.value ? "row active" : "row"}
            onClick={() => pick(token)}
            onPointerMove={() => active.value !== i && (active.value = i)}
          >
            <Logo token={token} />
            <span class="what">
              <span class="symbol">
                {token.symbol} {token.isVerified && <Verified />}
              </span>
              <span class="soft">{token.name}</span>
            </span>
            <span class="much">
              <Balance token={token} />
              <span class="soft mono">{isNative(token) ? "native" : shortAddress(token.address)}</span>
            </span>
          </div>
        ))}
        {!found.length && <p class="soft empty">No token of this market is called that.</p>}
      </div>
    </Dialog>
  );
}

function Balance({ token }: { token: Token }) {
  const raw = held.value?.get(token.address);
  return <span class="number">{raw ? short(raw, token.decimals, 6) : ""}</span>;
}
