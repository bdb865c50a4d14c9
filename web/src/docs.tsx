// Adds to /docs, which is complete without a script, what needs one: the state of the
// service in the header, copy buttons, and forms that try requests.

import { render } from "preact";
import { Controls } from "./frame";
import { Copy } from "./icons";

render(<Controls />, document.querySelector("header .right")!);

// A server without a public address prints that of its listener; the page's own origin is the one that works for the reader.
const printedOrigin = document.querySelector<HTMLMetaElement>('meta[name="braid:origin"]')!.content;
for (const code of document.querySelectorAll(".lesson pre code")) {
  if (printedOrigin && printedOrigin !== location.origin) code.textContent = code.textContent!.replaceAll(printedOrigin, location.origin);
}

for (const block of document.querySelectorAll<HTMLElement>("[data-copy]")) {
  const button = element("button", { type: "button", className: "icon", ariaLabel: `Copy ${block.dataset.copy}` });
  button.onclick = () => void navigator.clipboard?.writeText(block.querySelector("code")!.textContent!).then(() => (button.ariaLabel = "Copied"));
  render(<Copy />, button);
  block.prepend(button);
}

for (const endpoint of document.querySelectorAll<HTMLElement>(".endpoint")) addForm(endpoint);

function element<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Partial<HTMLElementTagNameMap[K]>, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const created = Object.assign(document.createElement(tag), properties);
  created.append(...children);
  return created;
}

/** Adds a field for each parameter of an endpoint, and a button that sends the request. */
function addForm(endpoint: HTMLElement): void {
  const fields = [...endpoint.querySelectorAll<HTMLElement>(".parameter")].map((row) => {
    const { name, required, example = "" } = row.dataset;
    const field = element("input", { type: "text", name: name!, className: "mono", placeholder: example, value: required ? example : "", spellcheck: false, autocomplete: "off" });
    field.setAttribute("aria-labelledby", row.querySelector("code")!.id);
    row.append(field);
    return field;
  });
  const url = () => {
    const query = new URLSearchParams(fields.filter(({ value }) => value !== "").map(({ name, value }) => [name, value])).toString();
    return query ? `${endpoint.dataset.path}?${query}` : endpoint.dataset.path!;
  };
  const request = element("code", {}, `GET ${url()}`);
  const status = element("p", { className: "soft number" });
  const body = element("code", {});
  const answer = element("div", { className: "block", hidden: true, ariaLive: "polite" }, status, element("pre", { tabIndex: 0 }, body));
  const form = element("form", {}, element("p", { className: "try" }, element("button", { type: "submit" }, "Try it"), " ", request), answer);
  for (const field of fields) {
    field.oninput = () => (request.textContent = `GET ${url()}`);
    field.onkeydown = (event) => event.key === "Enter" && form.requestSubmit();
  }
  form.onsubmit = (event) => {
    event.preventDefault();
    void tryRequest(url()).then(([statusText, text]) => {
      [status.textContent, body.textContent, answer.hidden] = [statusText, text, false];
    });
  };
  (fields.at(-1)?.parentElement ?? endpoint.querySelector("summary + p")!).after(form);
}

const MAX_CHARACTERS = 20_000;

async function tryRequest(url: string): Promise<[status: string, body: string]> {
  const controller = new AbortController();
  try {
    const began = performance.now();
    const response = await fetch(url, { signal: controller.signal });
    const body = await readBody(response);
    controller.abort();
    return [`${response.status} ${response.statusText}, ${Math.round(performance.now() - began)} ms`, body.slice(0, MAX_CHARACTERS)];
  } catch {
    return ["no answer", ""];
  }
}

/** The body of a response; of a stream, the first event. */
async function readBody(response: Response): Promise<string> {
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("text/event-stream")) {
    const text = await response.text();
    return type.includes("json") ? JSON.stringify(JSON.parse(text), null, 2) : text;
  }
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n\n")) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  return text;
}
