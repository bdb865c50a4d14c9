// The content of /docs. The build renders it to HTML, a Go template in which the server
// fills in what only it knows: {%…%} are template actions (web/docs.go).

import type { ComponentChildren } from "preact";
import { Reference, type Document } from "./reference";

export interface Lesson {
  name: string;
  /** The name under which the reader saves the code. */
  file: string;
  code: string;
  /** The commands to run, in the folder of the file. */
  commands: string[];
}

export interface GuideProps {
  document: Document;
  lessons: Lesson[];
}

/** A block of text with a copy button; the server fills in origin, node and key. */
function Block({ name, text }: { name: string; text: string }) {
  return (
    <div class="block" data-copy={name}>
      <pre tabIndex={0}>
        <code>{text.trimEnd().replaceAll("__ORIGIN__", "{%.Origin%}").replaceAll("__RPC__", "{%.RPC%}").replaceAll("__KEY__", "{%.Key%}")}</code>
      </pre>
    </div>
  );
}

const KeyNote = () => (
  <p class="soft">
    {"{%if .Local%}"}The key is that of the local chain's account. It is known to everyone: never use it elsewhere.{"{%else%}"}
    <code>KEY</code> is the private key of an account that holds what is swapped, and MON for the gas.{"{%end%}"}
  </p>
);

/** One lesson is shown at a time: radio buttons and CSS select it. */
function Tutorial({ lessons }: { lessons: Lesson[] }) {
  return (
    <div class="lessons">
      <fieldset class="pills">
        <legend class="hidden">Language</legend>
        {lessons.map(({ name }, i) => (
          <label key={name}>
            <input type="radio" class="hidden" name="lesson" value={i} checked={i === 0} /> {name}
          </label>
        ))}
      </fieldset>
      {lessons.map(({ name, file, code, commands }) => (
        <div class="lesson" key={name} data-lesson={file}>
          <h3 class="hidden">{name}</h3>
          <p>
            In an empty folder, save this as <code>{file}</code>:
          </p>
          <Block name={file} text={code} />
          <p>Then run, in that folder:</p>
          <Block name="the commands" text={commands.join("\n")} />
          {commands.some((command) => command.includes("__KEY__")) && <KeyNote />}
        </div>
      ))}
    </div>
  );
}

function Errors() {
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
          {"{%range .Errors%}"}
          <tr id="{%.Code%}">
            <td>
              <code>{"{%.Code%}"}</code>
            </td>
            <td class="number">{"{%.Status%}"}</td>
            <td class="wrap">{"{%.Title%}"}</td>
            <td>{"{%if .Retryable%}may work{%else%}will not{%end%}"}</td>
          </tr>
          {"{%end%}"}
        </tbody>
      </table>
    </div>
  );
}

const Native = () => (
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
  </>
);

const chapters = ({ document, lessons }: GuideProps): [id: string, name: string, body: ComponentChildren][] => [
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
      <p>Each of these programs runs as printed, with nothing but curl, Node 20 or Go 1.26 on the machine.</p>
      <Tutorial lessons={lessons} />
    </>,
  ],
  ["native", "Native MON", <Native />],
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
  ["reference", "Reference", <Reference document={document} />],
];

export function Guide(props: GuideProps) {
  const list = chapters(props);
  return (
    <div class="docs">
      <aside>
        <nav aria-label="Chapters">
          {list.map(([id, name]) => (
            <a href={`#${id}`} key={id}>
              {name}
            </a>
          ))}
          <a href="/openapi.json">OpenAPI 3.1</a>
        </nav>
      </aside>
      <article>
        <h1>Swap from your own code</h1>
        {list.map(([id, name, body]) => (
          <section key={id} aria-labelledby={id}>
            <h2 id={id}>{name}</h2>
            {body}
          </section>
        ))}
      </article>
    </div>
  );
}
