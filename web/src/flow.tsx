// The route: a diagram if it fits, and a list of steps.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { percent, short } from "./amount";
import type { Quote, Step, Token } from "./api";
import { computeLayout, outline, routeGraph, type RouteLink, type RouteNode } from "./layout";
import { useWidth } from "./width";

/** The CSS class with the colour of a type of pool. */
export const tone = (kind: string): string => `tone-${kind}`;

interface Props {
  quote: Quote;
  find(address: string): Token | undefined;
}

/** In px; below this width the list of steps is clearer than a diagram. */
const MIN_DIAGRAM_WIDTH = 480;

const canvas = document.createElement("canvas").getContext("2d")!;

/** The width of a label in px, in the fonts of the style sheet. */
function measure(text: string, bold: boolean): number {
  canvas.font = `${bold ? 650 : 400} 12px ${getComputedStyle(document.documentElement).fontFamily}`;
  return Math.ceil(canvas.measureText(text).width * 1.03) + 1;
}

export function Flow({ quote, find }: Props) {
  const [box, width] = useWidth<HTMLDivElement>();
  const amounts = (node: RouteNode) => amountOf(node.amount, find(node.token));
  const layout = useMemo(() => (width >= MIN_DIAGRAM_WIDTH ? computeLayout(quote, width, amounts, measure) : undefined), [quote, width]);
  return (
    <div class="flow" ref={box}>
      {layout ? <Diagram quote={quote} find={find} layout={layout} width={width} /> : width > 0 && <Steps quote={quote} find={find} />}
      {layout && (
        <details>
          <summary>Step by step</summary>
          <StepTable quote={quote} find={find} />
        </details>
      )}
    </div>
  );
}

const amountOf = (raw: bigint, token: Token | undefined) => (token ? short(raw, token.decimals, 6) : "");

function Diagram({ quote, find, layout, width }: Props & { layout: NonNullable<ReturnType<typeof computeLayout>>; width: number }) {
  const hovered = useSignal<string | undefined>(undefined);
  const selected = useSignal<string | undefined>(undefined);
  const kinds = [...new Set(quote.routes.map((step) => step.poolType))];
  const chosen = layout.ribbons.find(({ key }) => key === (hovered.value ?? selected.value));
  const name = (address: string) => find(address)?.symbol ?? "";
  return (
    <>
      <svg width={width} height={layout.height} role="img" aria-label={`${name(quote.tokenIn)} to ${name(quote.tokenOut)} in ${quote.routes.length} steps, listed below`}>
        {layout.ribbons.map((ribbon) => (
          <path
            key={ribbon.key}
            class={`ribbon ${tone(ribbon.step.poolType)} ${chosen && chosen !== ribbon ? "dim" : ""}`}
            d={outline(ribbon)}
            onPointerEnter={(event) => event.pointerType === "mouse" && (hovered.value = ribbon.key)}
            onPointerLeave={() => (hovered.value = undefined)}
            onClick={() => (selected.value = selected.value === ribbon.key ? undefined : ribbon.key)}
          />
        ))}
        {layout.nodes.map((node) => (
          <rect key={node.id} class="node" x={node.x0!} y={node.y0!} width={node.x1! - node.x0!} height={Math.max(node.y1! - node.y0!, 2)} rx="3" />
        ))}
        {layout.labels.map(({ key, kind, text, x, y }) => (
          <text key={`${kind} ${key}`} class={kind} x={x} y={y} dy="0.35em">
            {text}
          </text>
        ))}
      </svg>
      <p class="caption number" aria-hidden="true">
        {chosen ? <StepText step={chosen.step} find={find} /> : kinds.map((kind) => <Key key={kind} kind={kind} />)}
      </p>
    </>
  );
}

const Key = ({ kind }: { kind: string }) => (
  <span class={`key ${tone(kind)}`}>
    <i /> {kind}
  </span>
);

function StepText({ step, find }: { step: Step; find: Props["find"] }) {
  const amount = (raw: string, token: string) => amountOf(BigInt(raw), find(token));
  return (
    <span>
      <b>{step.factory}</b> {amount(step.amountIn, step.tokenIn)} {step.tokenInSymbol} → {amount(step.amountOut, step.tokenOut)} {step.tokenOutSymbol}, {percent(step.weight)}
    </span>
  );
}

/** How many steps of a token a long list shows at first. */
const STEPS_SHOWN = 3;

/** The steps as a list, grouped by input token; each opens to show its amounts and its pool. */
function Steps({ quote, find }: Props) {
  const { nodes, links } = routeGraph(quote);
  const from = (node: RouteNode) => links.filter((link) => link.from === node.id).sort((a, b) => b.step.weight - a.step.weight);
  const last = nodes.filter((node) => !links.some((link) => link.from === node.id));
  const shown = links.length <= 8 ? links.length : STEPS_SHOWN;
  return (
    <ol class="path">
      {[...nodes.filter((node) => !last.includes(node)), ...last].map((node) => (
        <li key={node.id}>
          <p class="stop">
            <b>{node.symbol}</b> <span class="soft number">{amountOf(node.amount, find(node.token))}</span>
          </p>
          {from(node).slice(0, shown).map((link) => (
            <StepRow key={link.key} link={link} find={find} />
          ))}
          {from(node).length > shown && (
            <details class="more">
              <summary>{from(node).length - shown} more</summary>
              {from(node).slice(shown).map((link) => (
                <StepRow key={link.key} link={link} find={find} />
              ))}
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}

function StepRow({ link: { step }, find }: { link: RouteLink; find: Props["find"] }) {
  return (
    <details class={`hop ${tone(step.poolType)}`}>
      <summary>
        <span class="venue">{step.factory}</span>
        <span class="soft">→ {step.tokenOutSymbol}</span>
        <span class="number">{percent(step.weight)}</span>
        <i aria-hidden="true" style={{ width: `${Math.max(step.weight / 100, 1)}%` }} />
      </summary>
      <p class="soft number">
        {amountOf(BigInt(step.amountIn), find(step.tokenIn))} {step.tokenInSymbol} → {amountOf(BigInt(step.amountOut), find(step.tokenOut))} {step.tokenOutSymbol}
        <br />
        {step.poolType}, pool <span class="mono">{step.pool}</span>
      </p>
    </details>
  );
}

/** The steps as a table, for screen readers too. */
function StepTable({ quote, find }: Props) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Steps of the route">
      <table>
        <thead>
          <tr>
            <th scope="col">Share</th>
            <th scope="col">Venue</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">Pool</th>
          </tr>
        </thead>
        <tbody>
          {quote.routes.map((step, i) => (
            <tr key={i}>
              <td class="number">{percent(step.weight)}</td>
              <td>
                {step.factory} <small class="soft">{step.poolType}</small>
              </td>
              <td class="number">
                {amountOf(BigInt(step.amountIn), find(step.tokenIn))} {step.tokenInSymbol}
              </td>
              <td class="number">
                {amountOf(BigInt(step.amountOut), find(step.tokenOut))} {step.tokenOutSymbol}
              </td>
              <td class="mono soft" title={step.pool}>
                {step.pool.slice(0, 8)}…{step.pool.slice(-4)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
