// The transaction in sentences, decoded from its calldata.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { exactLocalized } from "./amount";
import { quote } from "./answer";
import type { Swap } from "./api";
import { amountIn, query, recipient, tokenIn, tokenOut } from "./order";
import { requestSwap } from "./send";
import { decodeSwap } from "./terms";
import { find } from "./tokens";
import { account } from "./wallet";
import { explain } from "./explain";

export function Contract() {
  const open = useSignal(false);
  return (
    <section class="card" aria-labelledby="contract">
      <details onToggle={(event) => (open.value = event.currentTarget.open)}>
        <summary>
          <h2 id="contract">What you sign</h2>
          <span class="soft">the transaction in words</span>
        </summary>
        {open.value && <TransactionDetails />}
      </details>
    </section>
  );
}

function TransactionDetails() {
  const offer = useSignal<Swap | undefined>(undefined);
  const errorText = useSignal("");
  const recipientAddress = recipient.value.trim() || account.value;
  const q = quote.value;
  const amountOut = q?.amountOut;
  useEffect(() => {
    const [parameters, out, amount] = [query.value, tokenOut.value, amountIn.value];
    if (!recipientAddress || !q || !parameters || !out || !amount) return;
    requestSwap({ tokenIn: tokenIn.value, tokenOut: out, amountIn: amount, minimum: 1n, expected: 0n, recipient: recipientAddress, query: parameters }).then(
      ({ swap }) => ((offer.value = swap), (errorText.value = "")),
      (error: unknown) => (errorText.value = explain(error, tokenIn.value, out).title),
    );
  }, [recipientAddress, amountOut]);
  if (!recipientAddress) return <p class="soft">Connect a wallet, or give a recipient in the settings: a transaction needs to know whom it pays.</p>;
  if (errorText.value) return <p class="trouble">{errorText.value}.</p>;
  if (!offer.value) return <p class="soft">Asking for the transaction…</p>;
  return <TransactionText swap={offer.value} />;
}

/** The calldata of a swap in sentences. */
export function TransactionText({ swap: { tx } }: { swap: Swap }) {
  const terms = decodeSwap(tx.data);
  const formatAmount = (address: string, raw: bigint) => {
    const token = find(address);
    return token ? `${exactLocalized(raw, token.decimals)} ${token.symbol}` : `${raw} of ${address}`;
  };
  const native = tx.value !== "0";
  return (
    <>
      <ol class="sentences">
        <li>
          Call <code>swap</code> of the Router <code>{tx.to}</code>{" "}
          {native ? <>with {formatAmount(terms.tokenIn, terms.amountIn)}, sent as MON.</> : <>and send no MON with it.</>}
        </li>
        {!native && (
          <li>
            The Router may take at most <b>{formatAmount(terms.tokenIn, terms.amountIn)}</b>, from the sender only.
          </li>
        )}
        <li>
          <code>{terms.recipient}</code> receives at least <b>{formatAmount(terms.tokenOut, terms.minOut)}</b>, or everything is undone.
        </li>
        <li>
          It must happen before <b>{new Date(terms.deadline * 1000).toLocaleTimeString()}</b>, or it never happens.
        </li>
        <li>
          The route, {terms.routeBytes} bytes, is for the Executor <code>{terms.executor}</code>. Whatever it contains, the sentences above hold.
        </li>
        <li>
          The gas limit is <b>{Number(tx.estimatedGas).toLocaleString()}</b>; Monad bills all of it.
        </li>
      </ol>
      <details class="bytes">
        <summary>All {tx.data.length / 2 - 1} bytes</summary>
        <code class="mono">{tx.data}</code>
      </details>
    </>
  );
}
