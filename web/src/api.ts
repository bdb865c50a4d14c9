// The service's HTTP API as the page uses it.

export interface Token {
  address: string;
  symbol: string;
  name: string;
  decimals: number;
  logoURI: string;
  isVerified: boolean;
}

export interface Step {
  pool: string;
  poolType: string;
  tokenIn: string;
  tokenOut: string;
  tokenInSymbol: string;
  tokenOutSymbol: string;
  factory: string;
  amountIn: string;
  amountOut: string;
  weight: number;
}

export interface Quote {
  tokenIn: string;
  tokenOut: string;
  amountIn: string;
  amountOut: string;
  routes: Step[];
  priceImpactBps: number;
  amountInUsd: string;
  amountOutUsd: string;
  meta: Meta;
  why?: Why;
}

export interface Meta {
  blockNumber: number;
  blockHash: string;
  minAmountOut: string;
  gasCostWei: string;
  expiresAt: number;
  boundAmountOut?: string;
  optimalityGapBps?: number;
  boundReason?: string; // why there is no bound
  gasLimit: string;
}

/** What simpler plans would pay. An alternative that cannot swap the amount is missing. */
export interface Why {
  venue?: Alternative; // the best plan on one venue alone
  path?: Alternative; // the best plan without splits
}

export interface Alternative {
  amountOut: string;
  gainBps: number;
  gainUsd: string;
  sources: string[];
}

export interface Call {
  to: `0x${string}`;
  data: `0x${string}`;
  value: string;
}

export interface Swap extends Quote {
  tx: Call & { estimatedGas: string };
}

export interface Source {
  id: string;
  type: string;
}

export interface Depth {
  points: { amountIn: string; amountOut: string; priceImpactBps: number }[];
}

export interface Market {
  block: { number: number; hash: string; timestamp: number; ageMs: number | null };
  sources: {
    id: string;
    name: string;
    type: string;
    pools: number;
    usablePools: number;
    liquidityUsd: string;
    status: "live" | "paused" | "off";
    reason: string;
  }[];
  tokens: {
    address: string;
    symbol: string;
    name: string;
    decimals: number;
    verified: boolean;
    logoURI: string;
    priceUsd: string;
    liquidityUsd: string;
  }[];
}

export interface ProblemBody {
  code: string;
  status: number;
  detail: string;
  retryable: boolean;
  hints: { maxAmountIn?: string; minAmountIn?: string; excludedSources?: string[]; amountOut?: string; priceImpactBps?: number };
}

/** An error response of the API. */
export class Problem extends Error {
  constructor(readonly body: ProblemBody) {
    super(body.detail);
  }
  get code(): string {
    return this.body.code;
  }
}

/** There was no response, or not one of the API. */
export class Unreachable extends Error {}

export type Query = Record<string, string>;

const url = (path: string, query: Query) => {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return `/api/v1${path}?${new URLSearchParams(given)}`;
};

export async function request(path: string, query: Query, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url(path, query), signal ? { signal } : {});
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable("the service does not answer");
  }
  if (response.ok) return response;
  const body = (await response.json().catch(() => undefined)) as ProblemBody | undefined;
  throw body?.code ? new Problem(body) : new Unreachable(`the service answers ${response.status}`);
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const response = await request(path, query, signal);
  return (await response.json()) as T;
}

export function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
