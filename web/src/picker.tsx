import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { shortAddress, short, usdBrief } from "./amount";
import type { Token } from "./api";
import { Dialog } from "./dialog";
import { holdings, refreshAllBalances } from "./holdings";
import { Logo, Star, Verified } from "./icons";
import { value, refresh } from "./prices";
import { RiskCard } from "./risk";
import { favourites, find, isAccepted, isNative, fetchToken, recent, search, toggleFavourite, verified } from "./tokens";

interface Props {
  title: string;
  chosen: Token | undefined;
  choose(token: Token): void;
  close(): void;
}

const MAX_ROWS = 80;
const POPULAR_COUNT = 6;

interface Group {
  name: string;
  tokens: Token[];
}

/** Tokens found by the search; without one, groups of likely choices. Each token is in one group. */
function groups(text: string): Group[] {
  if (text.trim()) return [{ name: "Found", tokens: search(text).slice(0, MAX_ROWS) }];
  const valueOf = (token: Token) => value(holdings.value?.get(token.address) ?? 0n, token) ?? 0;
  const all = search("");
  const listed = new Set<Token>();
  const group = (name: string, tokens: (Token | undefined)[]): Group => {
    const unlisted = tokens.filter((token): token is Token => token !== undefined && !listed.has(token));
    for (const token of unlisted) listed.add(token);
    return { name, tokens: unlisted };
  };
  return [
    group("Favourites", favourites.value.map(find)),
    group("Yours", all.filter((token) => (holdings.value?.get(token.address) ?? 0n) > 0n).sort((a, b) => valueOf(b) - valueOf(a)).slice(0, 30)),
    group("Recent", recent.value.map(find)),
    group("All tokens", all.slice(0, MAX_ROWS)),
  ].filter(({ tokens }) => tokens.length > 0);
}

export function Picker({ title, chosen, choose, close }: Props) {
  const text = useSignal("");
  const active = useSignal(0);
  const unverified = useSignal<Token | undefined>(undefined);
  useEffect(() => {
    void refresh();
    void refreshAllBalances();
  }, []);
  const accept = (token: Token) => (choose(token), close());
  const pick = (token: Token | undefined) => token && (isAccepted(token) ? accept(token) : (unverified.value = token));
  if (unverified.value) {
    return (
      <Dialog title="Before you use this token" close={close} class="small" key="risk">
        <RiskCard token={unverified.value} accept={accept} back={() => (unverified.value = undefined)} />
      </Dialog>
    );
  }
  const shown = groups(text.value);
  const found = shown.flatMap(({ tokens }) => tokens);
  const move = (to: number) => {
    active.value = Math.max(0, Math.min(found.length - 1, to));
    document.getElementById(`token-${active.value}`)?.scrollIntoView({ block: "nearest" });
  };
  const keys: Record<string, () => void> = { ArrowDown: () => move(active.value + 1), ArrowUp: () => move(active.value - 1), Enter: () => pick(found[active.value]) };
  return (
    <Dialog title={title} close={close} class="picker" key="list">
      <input
        type="text"
        role="combobox"
        aria-label="Search by symbol, name or address"
        aria-haspopup="grid"
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
          const handler = keys[event.key];
          if (handler) event.preventDefault(), handler();
        }}
      />
      <Popular pick={pick} />
      <div class="list" id="tokens" role="grid" aria-label="Tokens" tabIndex={-1}>
        {shown.map(({ name, tokens }) => (
          <div role="rowgroup" aria-label={name} key={name}>
            {!text.value.trim() && <Heading name={name} />}
            {tokens.map((token) => (
              <Row key={token.address} token={token} index={found.indexOf(token)} active={active} chosen={token.address === chosen?.address} pick={() => pick(token)} />
            ))}
          </div>
        ))}
        {!found.length && <NotFound text={text.value} key={text.value} />}
      </div>
    </Dialog>
  );
}

const Popular = ({ pick }: { pick(token: Token): void }) => (
  <div class="popular" role="group" aria-label="Popular tokens">
    {verified.value.slice(0, POPULAR_COUNT).map((token) => (
      <button type="button" key={token.address} onClick={() => pick(token)}>
        <Logo token={token} size={20} /> {token.symbol}
      </button>
    ))}
  </div>
);

const Heading = ({ name }: { name: string }) => (
  <div class="heading soft" aria-hidden="true">
    {name}
  </div>
);

function Row({ token, index, active, chosen, pick }: { token: Token; index: number; active: Signal<number>; chosen: boolean; pick(): void }) {
  const raw = holdings.value?.get(token.address);
  const favourite = favourites.value.includes(token.address);
  return (
    <div role="row" id={`token-${index}`} aria-selected={chosen} class={index === active.value ? "row active" : "row"} onPointerMove={() => active.value !== index && (active.value = index)}>
      <div role="gridcell" class="main" onClick={pick}>
        <Logo token={token} />
        <span class="what">
          <span class="symbol">
            {token.symbol} {token.isVerified ? <Verified /> : <small class="warn">unverified</small>}
          </span>
          <span class="soft">{token.name}</span>
        </span>
        <span class="much">
          <span class="number">{raw ? compactBalance(raw, token.decimals) : ""}</span>
          <span class="soft number">{(raw && usdBrief(value(raw, token) ?? 0)) || <span class="mono">{isNative(token) ? "native" : shortAddress(token.address)}</span>}</span>
        </span>
      </div>
      <div role="gridcell">
        <button type="button" class={favourite ? "star on" : "star"} aria-pressed={favourite} aria-label={`Favourite: ${token.symbol}`} tabIndex={index === active.value ? 0 : -1} onClick={() => toggleFavourite(token)}>
          <Star />
        </button>
      </div>
    </div>
  );
}

const compactNumber = new Intl.NumberFormat(undefined, { notation: "compact", maximumSignificantDigits: 4, roundingMode: "trunc" } as Intl.NumberFormatOptions);

/** A balance in a small space: from 100 million on, in compact notation. */
const compactBalance = (raw: bigint, decimals: number): string => {
  const whole = raw / 10n ** BigInt(decimals);
  return whole >= 100_000_000n ? compactNumber.format(whole) : short(raw, decimals, 6);
};

/** Shown if no token of the list matches. An address may be a token that is not in the list: then it is added. */
function NotFound({ text }: { text: string }) {
  const address = text.trim();
  const isAddress = /^0x[0-9a-f]{40}$/i.test(address);
  const searching = useSignal(isAddress);
  useEffect(() => {
    if (isAddress) void fetchToken(address).then(() => (searching.value = false));
  }, []);
  return (
    <div role="row">
      <p class="soft empty" role="gridcell">
        {searching.value ? "Asking the market…" : isAddress ? `${address} is not a token of this market: no pool we follow trades it.` : "No token of this market is called that. An address finds more."}
      </p>
    </div>
  );
}
