// The OpenAPI document as HTML, rendered by the build. docs.tsx reads the
// data- attributes and adds a form for trying each request.

import type { ComponentChildren } from "preact";

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: Schema | boolean;
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
}

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  "x-required-unless"?: string; // the name of the parameter that may take its place
  description?: string;
  schema?: Schema;
  example?: unknown;
}

interface Response {
  $ref?: string;
  description?: string;
  content?: Record<string, { schema?: Schema }>;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: Parameter[];
  responses: Record<string, Response>;
}

export interface Document {
  info: { description: string };
  paths: Record<string, { get?: Operation }>;
  tags: { name: string; description: string }[];
}

/** Resolves a reference inside the document. */
function resolve<T extends { $ref?: string }>(document: Document, node: T): T {
  if (!node.$ref) return node;
  const { $ref, ...siblings } = node;
  const target = $ref.split("/").slice(1).reduce((at: unknown, part) => (at as Record<string, unknown>)[part], document) as T;
  return { ...resolve(document, target), ...siblings };
}

/** The document's texts use three elements of Markdown: code, bold and paragraphs. */
function Text({ text = "" }: { text?: string | undefined }) {
  const parts: ComponentChildren[] = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, i) => {
    if (part.startsWith("`")) return <code key={i}>{part.slice(1, -1)}</code>;
    if (part.startsWith("**")) return <b key={i}>{part.slice(2, -2)}</b>;
    return part;
  });
  return <>{parts}</>;
}

const Paragraphs = ({ text = "" }: { text?: string | undefined }) => (
  <>
    {text.split("\n\n").map((part) => (
      <p key={part}>
        <Text text={part} />
      </p>
    ))}
  </>
);

export function Reference({ document }: { document: Document }) {
  return (
    <>
      <Paragraphs text={document.info.description} />
      {document.tags.map((tag) => (
        <div key={tag.name} class="tag">
          <p class="soft">{tag.description}</p>
          {Object.entries(document.paths)
            .filter(([, item]) => item.get?.tags.includes(tag.name))
            .map(([path, item]) => (
              <Endpoint key={path} document={document} path={path} operation={item.get!} />
            ))}
        </div>
      ))}
    </>
  );
}

function Endpoint({ document, path, operation }: { document: Document; path: string; operation: Operation }) {
  const parameters = (operation.parameters ?? []).map((p) => resolve(document, p)).filter((p) => p.in === "query");
  const schema = Object.values(resolve(document, operation.responses["200"] ?? {}).content ?? {})[0]?.schema;
  return (
    <details class="endpoint" id={operation.operationId} data-path={path}>
      <summary>
        <code>GET {path}</code> <span>{operation.summary}</span>
      </summary>
      <Paragraphs text={operation.description} />
      {parameters.length > 0 && <h3>Parameters</h3>}
      {parameters.map((p) => (
        <QueryParameter key={p.name} document={document} parameter={p} of={operation.operationId} />
      ))}
      {schema && <h3>Answer</h3>}
      {schema && <Fields document={document} schema={schema} depth={0} />}
      <h3>Other statuses</h3>
      <ul class="fields">
        {Object.entries(operation.responses)
          .filter(([status]) => status !== "200")
          .map(([status, response]) => (
            <li key={status}>
              <code>{status}</code> <Text text={resolve(document, response).description} />
            </li>
          ))}
      </ul>
    </details>
  );
}

function QueryParameter({ document, parameter: p, of }: { document: Document; parameter: Parameter; of: string }) {
  const example = p.example ?? p.schema?.default;
  const other = p["x-required-unless"];
  return (
    <div class="parameter" data-name={p.name} data-required={p.required || other ? true : undefined} data-example={example === undefined ? undefined : String(example)}>
      <div>
        <code id={`${of}-${p.name}`}>{p.name}</code> <small class="soft">{limits(document, flatten(document, p.schema ?? {}))}</small> {p.required && <small class="bad">required</small>}
        {other && <small class="bad">required without {other}</small>}
        <p class="soft">
          <Text text={p.description} />
        </p>
      </div>
    </div>
  );
}

function Fields({ document, schema, depth }: { document: Document; schema: Schema; depth: number }) {
  const whole = flatten(document, schema);
  const values = typeof whole.additionalProperties === "object" ? whole.additionalProperties : {};
  const list = whole.properties ? whole : flatten(document, whole.items ?? values);
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

/** A schema with its parts put together; of alternatives the first, which is the usual one. */
function flatten(document: Document, raw: Schema): Schema {
  const schema = resolve(document, raw);
  const parts = schema.allOf ?? schema.oneOf?.slice(0, 1);
  if (!parts) return schema;
  return parts.map((part) => flatten(document, part)).reduce((a, b) => ({ ...a, ...b, properties: { ...a.properties, ...b.properties } }), schema);
}

function kind(document: Document, schema: Schema): string {
  if (schema.enum) return schema.enum.join(" | ");
  const type = Array.isArray(schema.type) ? schema.type.join(" or ") : (schema.type ?? "");
  return type === "array" ? `array of ${kind(document, flatten(document, schema.items ?? {})) || "values"}` : type;
}

/** The type of a parameter, its range and its default. */
function limits(document: Document, schema: Schema): string {
  const { minimum, maximum } = schema;
  const range = minimum === undefined ? "" : maximum === undefined ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`;
  return kind(document, schema) + range + (schema.default === undefined ? "" : `, default ${String(schema.default)}`);
}
