// Docs: a swap from one's own code in five minutes, then everything else.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import goCode from "../tutorial/swap.go.txt?raw";
import shellCode from "../tutorial/quote.sh?raw";
import viemCode from "../tutorial/swap.ts?raw";
import { mount } from "./frame";
import { Copy } from "./icons";
import { local } from "./local";
import { Reference } from "./reference";

const key = local?.key ?? "0x…";

/** The blocks run as they are printed: against this very service. */
const here = (code: string) =>
  code.trimEnd().replaceAll("__ORIGIN__", location.origin).replaceAll("__RPC__", local ? location.origin + local.rpc : "https://rpc.monad.xyz");

const lessons = [
  { name: "curl", file: "quote.sh", code: shellCode, run: "bash quote.sh" },
  { name: "TypeScript", file: "swap.ts", code: viemCode, run: `KEY=${key} npx tsx swap.ts` },
  { name: "Go", file: "swap.go", code: goCode, run: `KEY=${key} go run swap.go` },
];

function Block({ file, code }: { file: string; code: string }) {
  const copied = useSignal(false);
  return (
    <div class="block">
      <button
        type="button"
        class="icon"
        aria-label={copied.value ? "Copied" : `Copy ${file}`}
        onClick={() => void navigator.clipboard?.writeText(code).then(() => (copied.value = true))}
      >
        <Copy />
      </button>
      <pre tabIndex={0} data-file={file}>
        <code>{code}</code>
      </pre>
    </div>
  );
}

function Tutorial() {
  const chosen = useSignal(0);
  const turn = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    chosen.value = (chosen.value + step + lessons.length) % lessons.length;
    document.getElementById(`tab-${chosen.value}`)?.focus();
  };
  return (
    <>
      <div class="pills" role="tablist" aria-label="Language" onKeyDown={turn}>
        {lessons.map(({ name }, i) => (
          <button
            type="button"
            role="tab"
            key={name}
            id={`tab-${i}`}
            aria-controls={`lesson-${i}`}
            aria-selected={chosen.value === i}
            tabIndex={chosen.value === i ? 0 : -1}
            onClick={() => (chosen.value = i)}
          >
            {name}
          </button>
        ))}
      </div>
      {lessons.map(({ name, file, code, run }, i) => (
        <div role="tabpanel" key={name} id={`lesson-${i}`} aria-labelledby={`tab-${i}`} hidden={chosen.value !== i}>
          <p>
            Save as <code>{file}</code>
            {name === "TypeScript" && <>, beside <code>npm install viem tsx</code></>}
            {name === "Go" && <>, in a module with <code>go get github.com/ethereum/go-ethereum</code></>}, then run <code class="run" data-run={file}>{run}</code>
          </p>
          <Block file={file} code={here(code)} />
        </div>
      ))}
      {local && <p class="soft">The key is that of the local chain's account. It is known to everyone: never use it elsewhere.</p>}
    </>
  );
}

interface Entry {
  code: string;
  status: number;
  title: string;
  retryable: boolean;
}

function Errors() {
  const list = useSignal<Entry[]>([]);
  useEffect(() => {
    void fetch("/errors.json").then(async (response) => (list.value = ((await response.json()) as { errors: Entry[] }).errors));
  }, []);
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Table of errors">
      <table>
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col">Status</th>
            <th scope="col">Meaning</th>
            <th scope="col">Same request again</th>
          </tr>
        </thead>
        <tbody>
          {list.value.map(({ code, status, title, retryable }) => (
            <tr key={code} id={code}>
              <td>
                <code>{code}</code>
              </td>
              <td class="number">{status}</td>
              <td class="wrap">{title}</td>
              <td>{retryable ? "may work" : "will not"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const chapters: [id: string, name: string, body: ComponentChildren][] = [
  [
    "start",
    "Five minutes",
    <>
      <p>Four requests make a swap. No key, no account, open to every origin.</p>
      <ol>
        <li><code>GET /api/v1/tokens</code> finds addresses and decimals.</li>
        <li><code>GET /api/v1/quote</code> finds the best route and says what it pays, to the wei.</li>
        <li><code>GET /api/v1/swap</code> takes the same and a <code>recipient</code>, and adds <code>tx</code>.</li>
        <li>Approve <code>tx.to</code> for <code>amountIn</code>, then send <code>tx</code> with <code>tx.estimatedGas</code> as its gas limit.</li>
      </ol>
      <Tutorial />
    </>,
  ],
  [
    "native",
    "Native MON",
    <>
      <p>
        <b>Paying with MON.</b> Pass wrapped native (WMON) as <code>tokenIn</code> and send <code>value = amountIn</code>; skip the approval. The same bytes sent with{" "}
        <code>value = 0</code> take WMON by allowance instead: one calldata serves both. Or pass the zero address (or <code>0xEeee…EEeE</code>): then <code>tx.value</code> already is the amount, and{" "}
        <code>tx</code> can be sent as it stands.
      </p>
      <p>
        <b>Receiving MON.</b> Pass the zero address as <code>tokenOut</code> and the contract unwraps. WMON as <code>tokenOut</code> delivers WMON.
      </p>
      <p>
        <b>The 10 MON reserve.</b> On Monad a transaction that spends value may have to leave 10 MON in the account, so swapping all of an account's MON can fail though the route is right. Leave 10 MON and the gas.
      </p>
      <p>
        <b>Gas is billed by the limit.</b> What you do not use does not come back, so <code>tx.estimatedGas</code> is tight. Do not pad it.
      </p>
    </>,
  ],
  [
    "safety",
    "What to check",
    <>
      <p>
        <code>tx.data</code> calls <code>swap(tokenIn, amountIn, tokenOut, minOut, recipient, deadline, executor, route)</code>. Decode it and compare the first six with what you asked; the contract pays the
        recipient at least <code>minOut</code> or reverts, whatever the route says. This site does that before every signature.
      </p>
      <p>
        Every number of an answer belongs to the block in <code>X-Block-Number</code>. A market that is not fresh is refused with 503, never quoted.
      </p>
    </>,
  ],
  [
    "errors",
    "Errors",
    <>
      <p>
        Problems are <code>application/problem+json</code> (RFC 9457). Match <code>code</code> and nothing else; <code>errors</code> lists every fault of the request at once, <code>hints</code> what would have worked.
      </p>
      <Errors />
    </>,
  ],
  ["reference", "Reference", <Reference />],
];

mount(
  <div class="docs">
    <aside>
      <nav aria-label="Chapters">
        {chapters.map(([id, name]) => (
          <a href={`#${id}`} key={id}>
            {name}
          </a>
        ))}
        <a href="/openapi.json">OpenAPI 3.1</a>
      </nav>
    </aside>
    <article>
      <h1>Swap from your own code</h1>
      {chapters.map(([id, name, body]) => (
        <section key={id} aria-labelledby={id}>
          <h2 id={id}>{name}</h2>
          {body}
        </section>
      ))}
    </article>
  </div>,
);
