// The depth chart: price impact by amount.

import { computed, effect, signal, useSignal } from "@preact/signals";
import { scaleLog, scaleSqrt } from "d3-scale";
import { area, curveMonotoneX, line } from "d3-shape";
import { percent, short } from "./amount";
import { quote } from "./answer";
import { get, type Depth } from "./api";
import { visible } from "./connection";
import { amountIn, excluded, tokenIn, tokenOut } from "./order";
import { useWidth } from "./width";

export const depth = signal<Depth | undefined>(undefined);

const hasQuote = computed(() => quote.value !== undefined);

/** Requests the depth curve of the tokens once there is a quote: when the tokens change, and every 15 s. */
export function followDepth(): void {
  effect(() => {
    const [tokenFrom, out] = [tokenIn.value, tokenOut.value];
    const excludeSources = excluded.value.join(",");
    depth.value = undefined;
    if (!out || !hasQuote.value) return undefined;
    const controller = new AbortController();
    const refresh = () => {
      if (!visible.peek()) return;
      get<Depth>("/depth", { tokenIn: tokenFrom.address, tokenOut: out.address, excludeSources }, controller.signal).then(
        (found) => (depth.value = found),
        () => undefined, // the quote shows what is wrong
      );
    };
    refresh();
    const timer = setInterval(refresh, 15_000);
    return () => (controller.abort(), clearInterval(timer));
  });
}

const HEIGHT = 170;
const LEFT = 44;
const RIGHT = 22; // half the width of a label
const TOP = 10;
const BOTTOM = 24;

export function Curve() {
  const [box, width] = useWidth<HTMLDivElement>();
  const nearest = useSignal<number | undefined>(undefined);
  const [tokenFrom, out] = [tokenIn.value, tokenOut.value];
  const points = (depth.value?.points ?? []).map((p) => ({ ...p, size: Number(p.amountIn) / 10 ** tokenFrom.decimals }));
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last || !out || !width) return <div class="curve" ref={box} />;

  // A larger amount may have a smaller impact, as it may take another route.
  const worst = Math.max(...points.map((p) => p.priceImpactBps), 10);
  const best = Math.min(...points.map((p) => p.priceImpactBps), 0);
  const x = scaleLog([first.size, last.size], [LEFT, width - RIGHT]);
  const y = scaleSqrt([best, worst], [HEIGHT - BOTTOM, TOP]); // square root: small impacts are the common ones
  const at = (p: (typeof points)[number]) => [x(p.size), y(p.priceImpactBps)] as const;
  const stroke = line<(typeof points)[number]>((p) => at(p)[0], (p) => at(p)[1]).curve(curveMonotoneX)(points) ?? "";
  const fill = area<(typeof points)[number]>((p) => at(p)[0], HEIGHT - BOTTOM, (p) => at(p)[1]).curve(curveMonotoneX)(points) ?? "";
  const ticks = [1, 10, 100, 1000, 3000].filter((bps) => bps <= worst * 1.02 && bps >= worst / 200);
  const sizes = x.ticks(4).filter((size) => Math.abs(Math.log10(size) % 1) < 1e-9);
  const ownSize = amountIn.value && quote.value ? Number(amountIn.value) / 10 ** tokenFrom.decimals : undefined;
  const chosen = nearest.value === undefined ? undefined : points[nearest.value];

  const selectNearest = (event: PointerEvent) => {
    const px = event.clientX - (event.currentTarget as Element).getBoundingClientRect().left;
    nearest.value = points.reduce((best, p, i) => (Math.abs(x(p.size) - px) < Math.abs(x(points[best]!.size) - px) ? i : best), 0);
  };
  return (
    <div class="curve" ref={box}>
      <svg width={width} height={HEIGHT} role="img" aria-label={`Price impact grows to ${percent(last.priceImpactBps)} at ${compact(last.size)} ${tokenFrom.symbol}`} onPointerMove={selectNearest} onPointerLeave={() => (nearest.value = undefined)}>
        {ticks.map((bps) => (
          <GridLine key={bps} bps={bps} y={y(bps)} width={width} />
        ))}
        {sizes.map((size) => (
          <text key={size} class="size" x={x(size)} y={HEIGHT - 6} text-anchor="middle">
            {compact(size)}
          </text>
        ))}
        <path class="fill" d={fill} />
        <path class="stroke" d={stroke} />
        {ownSize !== undefined && ownSize >= first.size && ownSize <= last.size && (
          <g class="mine">
            <line x1={x(ownSize)} x2={x(ownSize)} y1={TOP} y2={HEIGHT - BOTTOM} />
            <circle cx={x(ownSize)} cy={y(Math.max(best, Math.min(quote.value!.priceImpactBps, worst)))} r="4.5" />
          </g>
        )}
        {chosen && <circle class="near" cx={x(chosen.size)} cy={y(chosen.priceImpactBps)} r="4" />}
      </svg>
      <p class="caption number" aria-hidden="true">
        {chosen
          ? `${short(BigInt(chosen.amountIn), tokenFrom.decimals, 5)} ${tokenFrom.symbol} → ${short(BigInt(chosen.amountOut), out.decimals, 6)} ${out.symbol}, ${percent(chosen.priceImpactBps)}`
          : `size in ${tokenFrom.symbol}; the mark is your swap`}
      </p>
    </div>
  );
}

const GridLine = ({ bps, y, width }: { bps: number; y: number; width: number }) => (
  <g class="grid">
    <line x1={LEFT} x2={width - RIGHT} y1={y} y2={y} />
    <text x={LEFT - 6} y={y} dy="0.32em" text-anchor="end">
      {(bps / 100).toLocaleString()}%
    </text>
  </g>
);

const figures = new Intl.NumberFormat(undefined, { notation: "compact", maximumSignificantDigits: 3 });
const compact = (n: number) => (n >= 0.001 ? figures.format(n) : n.toExponential(0));
