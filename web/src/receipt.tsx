// The receipt: what was quoted and what was received.

import { useSignal } from "@preact/signals";
import { short, usd, exactLocalized } from "./amount";
import { Copy, Tick } from "./icons";
import { local } from "./local";
import { value } from "./prices";
import { NATIVE } from "./tokens";
import type { Entry } from "./transactions";

const EXPLORER = "https://monadvision.com/tx/";

export function Row({ name, value, strong, tone = "" }: { name: string; value: string; strong?: boolean; tone?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={`number ${tone}`}>{strong ? <b>{value}</b> : value}</dd>
    </div>
  );
}

/** A gas cost in MON and, if a price is known, in USD. */
export function networkCost(wei: bigint): string {
  const valueUsd = value(wei, NATIVE);
  const dollars = valueUsd === undefined ? "" : valueUsd < 0.01 ? " (<\u00a0$0.01)" : ` (${usd(valueUsd)})`;
  return `${short(wei, NATIVE.decimals, 4)} MON${dollars}`;
}

/** The figures of a finished swap. */
export function Receipt({ entry }: { entry: Entry }) {
  const { tokenIn, tokenOut } = entry;
  const figure = (raw: string, token: Entry["tokenIn"]) => `${exactLocalized(BigInt(raw), token.decimals)} ${token.symbol}`;
  const [quoted, received] = [BigInt(entry.quoted), entry.received ? BigInt(entry.received) : undefined];
  const bps = received !== undefined && quoted > 0n ? Number(((received - quoted) * 1_000_000n) / quoted) / 100 : 0;
  const otherRecipient = entry.recipient.toLowerCase() !== entry.account.toLowerCase();
  return (
    <dl class="receipt">
      <Row name="Paid" value={figure(entry.amountIn, tokenIn)} />
      <Row name="Quoted" value={figure(entry.quoted, tokenOut)} />
      <Row name="Received" value={received === undefined ? "see the transaction" : figure(entry.received, tokenOut)} strong />
      <Row name="Difference" value={received === quoted ? "none, to the wei" : `${bps > 0 ? "+" : ""}${bps.toFixed(2)} bps`} tone={received !== undefined && received >= quoted ? "good" : ""} />
      <Row name="Guaranteed" value={figure(entry.minimum, tokenOut)} />
      {otherRecipient && <Row name="Recipient" value={entry.recipient} tone="bad mono" strong />}
      <Row name="Network cost" value={networkCost(BigInt(entry.gasCost || 0))} />
      <Row name="Block" value={entry.block.toLocaleString()} />
    </dl>
  );
}

/** A transaction's hash with a copy button and, except on a local chain, a link to the explorer. */
export function Hash({ hash }: { hash: string }) {
  const copied = useSignal(false);
  const copy = () => void navigator.clipboard?.writeText(hash).then(() => (copied.value = true), () => undefined);
  return (
    <div class="hash">
      <span class="mono address">{hash}</span>
      <button type="button" class="icon" onClick={copy} aria-label={copied.value ? "Copied" : "Copy the transaction's hash"}>
        {copied.value ? <Tick /> : <Copy />}
      </button>
      {!local && (
        <a href={EXPLORER + hash} target="_blank" rel="noreferrer">
          Explorer
        </a>
      )}
    </div>
  );
}
