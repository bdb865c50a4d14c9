// The layout of the route diagram, a Sankey diagram: tokens are nodes, steps are ribbons
// between them, each as wide as its share of the swap.

import { sankey, sankeyJustify, type SankeyGraph, type SankeyLink, type SankeyNode } from "d3-sankey";
import type { Quote, Step } from "./api";

export interface RouteNode {
  id: string;
  token: string;
  symbol: string;
  amount: bigint;
  unspent: bigint;
}

export interface RouteLink {
  step: Step;
  key: string;
  from: string;
  to: string;
}

type Graph = SankeyGraph<RouteNode, RouteLink>;
export type Node = SankeyNode<RouteNode, RouteLink> & { layer?: number }; // layer: the column, which the library's types omit
export type Ribbon = SankeyLink<RouteNode, RouteLink>;

/** The graph of a route. A token that is received again after all of it was spent gets a second node. */
export function routeGraph(quote: Quote): { nodes: RouteNode[]; links: RouteLink[] } {
  const nodes: RouteNode[] = [];
  const open = new Map<string, RouteNode>();
  const uses = new Map<string, number>();
  const add = (token: string, symbol: string, amount: bigint): RouteNode => {
    const node = open.get(token) ?? { id: `${token}:${nodes.length}`, token, symbol, amount: 0n, unspent: 0n };
    if (!open.has(token)) nodes.push(node);
    open.set(token, node);
    node.amount += amount;
    node.unspent += amount;
    return node;
  };
  const links = quote.routes.map((step, i) => {
    const from = add(step.tokenIn, step.tokenInSymbol, i === 0 ? BigInt(quote.amountIn) : 0n);
    from.unspent -= BigInt(step.amountIn);
    if (from.unspent === 0n) open.delete(step.tokenIn);
    const to = add(step.tokenOut, step.tokenOutSymbol, BigInt(step.amountOut));
    const name = `${step.pool}:${step.tokenIn}:${step.tokenOut}`;
    const use = uses.get(name) ?? 0;
    uses.set(name, use + 1);
    return { step, key: `${name}:${use}`, from: from.id, to: to.id };
  });
  return { nodes, links };
}

export interface Layout {
  nodes: Node[];
  ribbons: Ribbon[];
  labels: Label[];
  height: number;
}

export interface Label {
  key: string;
  kind: "symbol" | "amount" | "venue";
  text: string;
  x: number; // of its left end, px
  y: number; // of its middle, px
}

const NODE_WIDTH = 10;
const LINE_HEIGHT = 16; // of a label, px
const MIN_HEIGHT = 340; // px; one height for most routes, so that a new quote does not move what is below the diagram

/** Vertical distance between nodes of a column, px; a label fits into it. */
const nodePadding = (nodes: number) => Math.max(LINE_HEIGHT + 2, Math.min(24, 200 / nodes));

/** A column with more nodes than this needs a higher diagram. */
const MAX_COLUMN_NODES = 14;

/** Shortest distance of columns at which a symbol fits between them, px. */
const MIN_COLUMN_DISTANCE = 76;

/** The layout; undefined if the width is too small or the route has a cycle. */
export function computeLayout(quote: Quote, width: number, amounts: (node: RouteNode) => string, measure: (text: string, bold: boolean) => number): Layout | undefined {
  const { nodes: routeNodes, links: routeLinks } = routeGraph(quote);
  const graph = () => ({ nodes: routeNodes.map((node) => ({ ...node })), links: routeLinks.map((link) => ({ ...link, source: link.from, target: link.to, value: Math.max(link.step.weight, 1) })) }) as unknown as Graph;
  const layoutAt = (height: number, gap: number, margin: number) =>
    sankey<RouteNode, RouteLink>()
      .nodeId((node) => node.id)
      .nodeAlign(sankeyJustify)
      .nodeWidth(NODE_WIDTH)
      .nodePadding(gap)
      .extent([[1, LINE_HEIGHT + 6 + margin], [width - 1, height - 6 - margin]])(graph());
  let first: Graph;
  try {
    first = layoutAt(MIN_HEIGHT, LINE_HEIGHT, 0);
  } catch {
    return undefined;
  }
  const columns = count(first.nodes.map((node) => (node as Node).layer!));
  if (columns.size > 1 && (width - NODE_WIDTH) / (columns.size - 1) < MIN_COLUMN_DISTANCE) return undefined;
  // With few pools ribbons would fill the whole height: margins make them narrower.
  const most = Math.max(...columns.values());
  const height = MIN_HEIGHT + Math.max(most - MAX_COLUMN_NODES, 0) * 2 * LINE_HEIGHT;
  const widest = Math.max(...count(first.links.map((link) => (link.source as Node).layer!)).values());
  const { nodes, links } = layoutAt(height, nodePadding(most), Math.max(0, (height - 40 - Math.max(110 * widest, 40 * most)) / 2));
  return { nodes, ribbons: links, labels: labelsOf(nodes, links, (width - NODE_WIDTH) / Math.max(columns.size - 1, 1), width, amounts, measure), height };
}

function count(numbers: number[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const n of numbers) found.set(n, (found.get(n) ?? 0) + 1);
  return found;
}

/** The outline of a ribbon as an SVG path: two equal curves, the ribbon's width apart. */
export function outline({ source, target, y0, y1, width }: Ribbon): string {
  const [x0, x1, half] = [(source as Node).x1!, (target as Node).x0!, Math.max(width ?? 0, 1.5) / 2];
  const middle = (x0 + x1) / 2;
  return `M${x0},${y0! - half}C${middle},${y0! - half} ${middle},${y1! - half} ${x1},${y1! - half}V${y1! + half}C${middle},${y1! + half} ${middle},${y0! + half} ${x0},${y0! + half}Z`;
}

interface Box {
  x0: number;
  x1: number;
  y: number;
}

const disjoint = (a: Box, b: Box) => a.x1 + 4 <= b.x0 || b.x1 + 4 <= a.x0 || Math.abs(a.y - b.y) >= LINE_HEIGHT;

/**
 * Places a symbol at every node, amounts at the first and the last column, and
 * venues on ribbons, the widest first, as far as labels do not overlap.
 */
function labelsOf(nodes: Node[], ribbons: Ribbon[], columnDistance: number, width: number, amounts: (node: RouteNode) => string, measure: (text: string, bold: boolean) => number): Label[] {
  const labels: Label[] = [];
  const boxes: Box[] = [];
  const addLabel = (label: Omit<Label, "x">, x0: number, size: number): boolean => {
    const box = { x0, x1: x0 + size, y: label.y };
    if (box.x0 < 0 || box.x1 > width || !boxes.every((other) => disjoint(box, other))) return false;
    boxes.push(box);
    labels.push({ ...label, x: x0 });
    return true;
  };
  const labelX = (node: Node, size: number) => (node.x0! < 2 ? node.x0! : node.x1! > width - 2 ? node.x1! - size : (node.x0! + node.x1! - size) / 2);
  const labelY = (node: Node) => node.y0! - LINE_HEIGHT / 2 - 1;
  for (const node of nodes) {
    const text = truncate(node.symbol, columnDistance * 0.5, measure);
    const size = measure(text, true);
    addLabel({ key: node.id, kind: "symbol", text, y: labelY(node) }, labelX(node, size), size);
  }
  // A truncated symbol is shown in full if that overlaps no other label.
  for (const [i, label] of labels.entries()) {
    const node = nodes.find(({ id }) => id === label.key)!;
    const size = measure(node.symbol, true);
    const fullBox = { x0: labelX(node, size), x1: labelX(node, size) + size, y: label.y };
    if (fullBox.x0 < 0 || fullBox.x1 > width || !boxes.every((other, j) => i === j || disjoint(fullBox, other))) continue;
    boxes[i] = fullBox;
    labels[i] = { ...label, text: node.symbol, x: fullBox.x0 };
  }
  for (const node of nodes) {
    const [left, right] = [node.x0! < 2, node.x1! > width - 2];
    const symbol = boxes[labels.findIndex(({ key }) => key === node.id)];
    if ((!left && !right) || !symbol) continue;
    const text = amounts(node);
    const size = measure(text, false);
    addLabel({ key: `${node.id} amount`, kind: "amount", text, y: labelY(node) }, left ? symbol.x1 + 6 : symbol.x0 - 6 - size, size);
  }
  for (const ribbon of [...ribbons].sort((a, b) => b.value - a.value)) {
    if (ribbon.width! < LINE_HEIGHT) continue;
    const [from, to] = [ribbon.source as Node, ribbon.target as Node];
    const share = `${(ribbon.step.weight / 100).toFixed(ribbon.step.weight < 10000 ? 1 : 0)}%`;
    for (const text of [`${ribbon.step.factory} ${share}`, ribbon.step.factory]) {
      const size = measure(text, false);
      const x = from.x1! + 8;
      if (x + size > Math.min(to.x0! - 8, from.x1! + columnDistance - NODE_WIDTH)) continue;
      const y = ribbon.y0! + (ribbon.y1! - ribbon.y0!) * verticalPart((8 + size / 2) / (to.x0! - from.x1!));
      if (addLabel({ key: ribbon.key, kind: "venue", text, y }, x, size)) break;
    }
  }
  return labels;
}

/** The text, truncated to a width in px. */
function truncate(text: string, width: number, measure: (text: string, bold: boolean) => number): string {
  const characters = [...text];
  let shown = text;
  while (characters.length > 1 && measure(shown, true) > width) {
    characters.pop();
    shown = `${characters.join("")}…`;
  }
  return shown;
}

/** The part (0 to 1) of its vertical distance that a ribbon has covered at a part of its horizontal distance: solves its Bézier curve for t by Newton's method. */
function verticalPart(part: number): number {
  let t = part;
  for (let i = 0; i < 4; i++) t -= (1.5 * t - 1.5 * t * t + t ** 3 - part) / (1.5 - 3 * t + 3 * t * t);
  return 3 * t * t - 2 * t ** 3;
}
