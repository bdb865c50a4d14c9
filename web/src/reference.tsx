// The OpenAPI document, rendered, with every request ready to be tried.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  enum?: unknown[];
  default?: unknown;
}

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

interface Operation {
  summary: string;
  description?: string;
  tags: string[];
  parameters?: Parameter[];
  responses: Record<string, { $ref?: string; description?: string; content?: Record<string, { schema?: Schema }> }>;
}

interface Document {
  paths: Record<string, { get?: Operation }>;
  tags: { name: string; description: string }[];
}

/** Follows a reference inside the document. */
function resolve<T extends { $ref?: string }>(document: Document, node: T): T {
  if (!node.$ref) return node;
  const { $ref, ...beside } = node;
  const target = $ref.split("/").slice(1).reduce((at: unknown, part) => (at as Record<string, unknown>)[part], document) as T;
  return { ...resolve(document, target), ...beside };
}

/** The document's texts use three marks of Markdown. */
export function Text({ text = "" }: { text?: string | undefined }) {
  const parts: ComponentChildren[] = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, i) => {
    if (part.startsWith("`")) return <code key={i}>{part.slice(1, -1)}</code>;
    if (part.startsWith("**")) return <b key={i}>{part.slice(2, -2)}</b>;
    return part;
  });
  return <>{parts}</>;
}

export function Reference() {
  const document = useSignal<Document | undefined>(undefined);
  useEffect(() => {
    void fetch("/openapi.json").then(async (response) => (document.value = (await response.json()) as Document));
  }, []);
  const d = document.value;
  if (!d) return <p class="soft">Loading…</p>;
  return (
    <>
      {d.tags.map((tag) => (
        <div key={tag.name}>
          <p class="soft">{tag.description}</p>
          {Object.entries(d.paths)
            .filter(([, item]) => item.get?.tags.includes(tag.name))
            .map(([path, item]) => (
              <Endpoint key={path} document={d} path={path} operation={item.get!} />
            ))}
        </div>
      ))}
    </>
  );
}

function Endpoint({ document, path, operation }: { document: Document; path: string; operation: Operation }) {
  const parameters = (operation.parameters ?? []).map((p) => resolve(document, p)).filter((p) => p.in === "query");
  const open = useSignal(false);
  return (
    <details class="endpoint" onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary>
        <code>GET {path}</code> <span>{operation.summary}</span>
      </summary>
      {open.value && (
        <>
          <p>
            <Text text={operation.description} />
          </p>
          <Try path={path} parameters={parameters} />
          <Answer document={document} operation={operation} />
        </>
      )}
    </details>
  );
}

function Answer({ document, operation }: { document: Document; operation: Operation }) {
  const good = resolve(document, operation.responses["200"] ?? {});
  const schema = Object.values(good.content ?? {})[0]?.schema;
  return (
    <>
      {schema && (
        <>
          <h3>Answer</h3>
          <Fields document={document} schema={schema} depth={0} />
        </>
      )}
      <p class="soft">Other statuses: {Object.keys(operation.responses).filter((status) => status !== "200").join(", ")}</p>
    </>
  );
}

function Fields({ document, schema, depth }: { document: Document; schema: Schema; depth: number }) {
  const whole = flatten(document, schema);
  const list = whole.properties ? whole : flatten(document, whole.items ?? {});
  if (!list.properties || depth > 4) return null;
  return (
    <ul class="fields">
      {Object.entries(list.properties).map(([name, raw]) => {
        const field = flatten(document, raw);
        return (
          <li key={name}>
            <code>{name}</code> <small class="soft">{kind(document, field)}</small> <Text text={field.description} />
            <Fields document={document} schema={field} depth={depth + 1} />
          </li>
        );
      })}
    </ul>
  );
}

function flatten(document: Document, raw: Schema): Schema {
  const schema = resolve(document, raw);
  if (!schema.allOf) return schema;
  return schema.allOf.map((part) => flatten(document, part)).reduce((a, b) => ({ ...a, ...b, properties: { ...a.properties, ...b.properties } }), schema);
}

function kind(document: Document, schema: Schema): string {
  if (schema.enum) return schema.enum.join(" | ");
  const type = Array.isArray(schema.type) ? schema.type.join(" or ") : (schema.type ?? "");
  return type === "array" ? `array of ${kind(document, flatten(document, schema.items ?? {})) || "values"}` : type;
}

const shown = 20_000;

function Try({ path, parameters }: { path: string; parameters: Parameter[] }) {
  const given = useSignal<Record<string, string>>(
    Object.fromEntries(parameters.map((p) => [p.name, p.required && p.example !== undefined ? String(p.example) : ""])),
  );
  const answer = useSignal<{ status: string; body: string } | undefined>(undefined);
  const query = new URLSearchParams(Object.entries(given.value).filter(([, value]) => value !== "")).toString();
  const url = query ? `${path}?${query}` : path;
  const run = async () => {
    const stop = new AbortController();
    try {
      const began = performance.now();
      const response = await fetch(url, { signal: stop.signal });
      const body = await begin(response);
      stop.abort();
      answer.value = { status: `${response.status} ${response.statusText}, ${Math.round(performance.now() - began)} ms`, body };
    } catch {
      answer.value = { status: "no answer", body: "" };
    }
  };
  return (
    <form onSubmit={(event) => (event.preventDefault(), void run())}>
      {parameters.map((p) => (
        <label class="parameter" key={p.name}>
          <span>
            <code>{p.name}</code> {p.required && <b class="bad">required</b>}
            <small class="soft">
              <Text text={p.description} />
            </small>
          </span>
          <input
            type="text"
            class="mono"
            spellcheck={false}
            autocomplete="off"
            placeholder={String(p.example ?? p.schema?.default ?? "")}
            value={given.value[p.name]}
            onInput={(event) => (given.value = { ...given.value, [p.name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <p class="try">
        <button type="submit">Try it</button> <code>GET {url}</code>
      </p>
      {answer.value && (
        <div class="block">
          <p class="soft number">{answer.value.status}</p>
          <pre tabIndex={0}>
            <code>{answer.value.body}</code>
          </pre>
        </div>
      )}
    </form>
  );
}

/** The whole of a body; of a stream its first event. */
async function begin(response: Response): Promise<string> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const text = await response.text();
    return response.headers.get("content-type")?.includes("json") ? JSON.stringify(JSON.parse(text), null, 2).slice(0, shown) : text.slice(0, shown);
  }
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n\n")) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  return text.slice(0, shown);
}
