// The route as a flow: tokens are posts, pools are bands between them, each as
// wide as its share of the swap.

import { useSignal } from "@preact/signals";
import { sankey, sankeyJustify, sankeyLinkHorizontal, type SankeyGraph } from "d3-sankey";
import { useMemo } from "preact/hooks";
import { percent, short } from "./amount";
import type { Quote, Step, Token } from "./api";
import { useWidth } from "./width";

interface Post {
  id: string;
  token: string;
  symbol: string;
  amount: bigint;
  left: bigint;
}

interface Band {
  step: Step;
  key: string;
}

type Laid = SankeyGraph<Post, Band>;

const HEIGHT = 320;
const NARROWEST = 560;
const POST = 10;

/** The tones of the kinds of venues are set in the style sheet. */
export const tone = (kind: string): string => `tone-${kind}`;

/** A token that is made again after nothing was left of it stands there a second time. */
function lay(quote: Quote, width: number): Laid | undefined {
  const posts: Post[] = [];
  const held = new Map<string, Post>();
  const met = new Map<string, number>();
  const add = (token: string, symbol: string, amount: bigint): Post => {
    const post = held.get(token) ?? { id: `${token}:${posts.length}`, token, symbol, amount: 0n, left: 0n };
    if (!held.has(token)) posts.push(post);
    held.set(token, post);
    post.amount += amount;
    post.left += amount;
    return post;
  };
  const links = quote.routes.map((step, i) => {
    const from = add(step.tokenIn, step.tokenInSymbol, i === 0 ? BigInt(quote.amountIn) : 0n);
    from.left -= BigInt(step.amountIn);
    if (from.left === 0n) held.delete(step.tokenIn);
    const to = add(step.tokenOut, step.tokenOutSymbol, BigInt(step.amountOut));
    const name = `${step.pool}:${step.tokenIn}:${step.tokenOut}`;
    const turn = met.get(name) ?? 0;
    met.set(name, turn + 1);
    return { source: from.id, target: to.id, value: step.weight, step, key: `${name}:${turn}` };
  });
  // A route of few pools would be a wall: its bands are thinner, in the middle.
  const margin = Math.max(0, (HEIGHT - 34 - 110 * widest(quote)) / 2);
  const layout = sankey<Post, Band>()
    .nodeId((node) => node.id)
    .nodeAlign(sankeyJustify)
    .nodeWidth(POST)
    .nodePadding(Math.max(10, Math.min(30, 260 / posts.length)))
    .extent([[1, 26 + margin], [width - 1, HEIGHT - 8 - margin]]);
  try {
    return layout({ nodes: posts, links } as unknown as Laid);
  } catch {
    return undefined; // no flow at all: the list of steps tells it
  }
}

/** How many pools stand side by side at most. */
function widest(quote: Quote): number {
  const leaving = new Map<string, number>();
  for (const { tokenIn } of quote.routes) leaving.set(tokenIn, (leaving.get(tokenIn) ?? 0) + 1);
  return Math.max(...leaving.values());
}

const path = sankeyLinkHorizontal<Post, Band>();

interface Props {
  quote: Quote;
  find(address: string): Token | undefined;
}

export function Flow({ quote, find }: Props) {
  const [box, measured] = useWidth<HTMLDivElement>();
  const shown = useSignal<string | undefined>(undefined);
  const width = Math.max(measured, NARROWEST);
  const laid = useMemo(() => (measured ? lay(quote, width) : undefined), [quote, width, measured]);
  const first = find(quote.tokenIn)?.symbol ?? "";
  const last = find(quote.tokenOut)?.symbol ?? "";
  const kinds = [...new Set(quote.routes.map((step) => step.poolType))];
  const chosen = quote.routes.length === 1 ? undefined : laid?.links.find((link) => link.key === shown.value);
  return (
    <div class="flow">
      <div class="scroll" ref={box} tabIndex={0} role="group" aria-label="Route diagram">
        <svg width={width} height={HEIGHT} role="img" aria-label={`${first} to ${last} in ${quote.routes.length} steps, listed below`}>
          {laid?.links.map((link) => (
            <path
              key={link.key}
              class={`band ${tone(link.step.poolType)} ${chosen && chosen !== link ? "pale" : ""}`}
              d={path(link) ?? ""}
              stroke-width={Math.max((link.width ?? 0) - 1, 1)}
              onPointerEnter={() => (shown.value = link.key)}
              onPointerLeave={() => (shown.value = undefined)}
            />
          ))}
          {laid &&
            names(laid).map(({ key, text, x, y }) => (
              <text key={key} class="venue" x={x} y={y} dy="0.35em">
                {text}
              </text>
            ))}
          {laid?.nodes.map((node) => (
            <PostName key={node.id} node={node} token={find(node.token)} width={width} />
          ))}
        </svg>
      </div>
      <p class="caption number" aria-hidden="true">
        {chosen ? (
          <StepText step={chosen.step} find={find} />
        ) : (
          kinds.map((kind) => (
            <span class={`key ${tone(kind)}`} key={kind}>
              <i /> {kind}
            </span>
          ))
        )}
      </p>
    </div>
  );
}

/** About how wide a character is. */
const CHARACTER = 6.4;

interface Name {
  key: string;
  text: string;
  x: number;
  y: number;
}

/**
 * The venues of bands, written where the bands leave their posts, the widest
 * first. A name that would cover another, or that of a post, is left out.
 */
function names({ nodes, links }: Laid): Name[] {
  const gap = Math.min(...nodes.map((node) => node.x0!).filter((x) => x > POST)) - POST;
  const taken = nodes.map((node) => ({ x: (node.x0! + node.x1!) / 2, y: node.y0! - 9, half: (node.symbol.length * CHARACTER) / 2 }));
  const found: Name[] = [];
  for (const { source, target, y0, y1, width, key, step } of [...links].sort((a, b) => b.value - a.value)) {
    const texts = [`${step.factory} ${(step.weight / 100).toFixed(step.weight < 10000 ? 1 : 0)}%`, step.factory];
    const text = texts.find((text) => text.length * CHARACTER + 18 < gap);
    if (!text || width! < 12) continue;
    const [from, to] = [source, target] as Laid["nodes"];
    const half = (text.length * CHARACTER) / 2;
    const x = from!.x1! + 8;
    const y = y0! + (y1! - y0!) * along((8 + half) / (to!.x0! - from!.x1!));
    const box = { x: x + half, y, half };
    if (taken.some((other) => Math.abs(other.x - box.x) < other.half + half && Math.abs(other.y - y) < 12)) continue;
    taken.push(box);
    found.push({ key, text, x, y });
  }
  return found;
}

/** How far a band has moved up or down when it has gone a part of its way. */
function along(part: number): number {
  let t = part;
  for (let i = 0; i < 4; i++) t -= (1.5 * t - 1.5 * t * t + t ** 3 - part) / (1.5 - 3 * t + 3 * t * t);
  return 3 * t * t - 2 * t ** 3;
}

function PostName({ node, token, width }: { node: Laid["nodes"][number]; token: Token | undefined; width: number }) {
  const [x0, x1, y0, y1] = [node.x0!, node.x1!, node.y0!, node.y1!];
  const anchor = x0 < 40 ? "start" : x1 > width - 40 ? "end" : "middle";
  const x = anchor === "start" ? x0 : anchor === "end" ? x1 : (x0 + x1) / 2;
  return (
    <g class="post">
      <rect x={x0} y={y0} width={x1 - x0} height={Math.max(y1 - y0, 2)} rx="3" />
      <text x={x} y={y0 - 5} text-anchor={anchor}>
        <tspan class="symbol">{node.symbol}</tspan>
        {anchor !== "middle" && token && <tspan dx="6">{short(node.amount, token.decimals, 6)}</tspan>}
      </text>
    </g>
  );
}

function StepText({ step, find }: { step: Step; find: Props["find"] }) {
  const [tin, tout] = [find(step.tokenIn), find(step.tokenOut)];
  const amount = (raw: string, token: Token | undefined) => (token ? short(BigInt(raw), token.decimals, 6) : "");
  return (
    <>
      <b>{step.factory}</b> {amount(step.amountIn, tin)} {step.tokenInSymbol} → {amount(step.amountOut, tout)} {step.tokenOutSymbol}, {percent(step.weight)}
    </>
  );
}

/** The same in rows, for those who read rather than look. */
export function StepTable({ quote, find }: Props) {
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
                {short(BigInt(step.amountIn), find(step.tokenIn)?.decimals ?? 0, 6)} {step.tokenInSymbol}
              </td>
              <td class="number">
                {short(BigInt(step.amountOut), find(step.tokenOut)?.decimals ?? 0, 6)} {step.tokenOutSymbol}
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
