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
  gasLimit: string;
}

/** What less effort would have paid; a rival that cannot do it at all is missing. */
export interface Why {
  venue?: Rival; // the best plan on one venue
  path?: Rival; // without splits
}

export interface Rival {
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

interface ProblemBody {
  code: string;
  status: number;
  detail: string;
  retryable: boolean;
  hints: { maxAmountIn?: string; minAmountIn?: string; excludedSources?: string[]; amountOut?: string; priceImpactBps?: number };
}

/** An answer that is an error of the API. */
export class Problem extends Error {
  constructor(readonly body: ProblemBody) {
    super(body.detail);
  }
  get code(): string {
    return this.body.code;
  }
}

/** There was no answer. */
export class Unreachable extends Error {}

export type Query = Record<string, string>;

const address = (path: string, query: Query) => {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return `/api/v1${path}?${new URLSearchParams(given)}`;
};

async function request(path: string, query: Query, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address(path, query), signal ? { signal } : {});
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

export interface Follower {
  quote(quote: Quote): void;
  /** The answer is an error, or there is none; the stream goes on trying. */
  fail(error: Problem | Unreachable): void;
}

/** Follows a quote from block to block until the signal says stop. */
export async function follow(query: Query, follower: Follower, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const response = await request("/stream", query, signal);
      for await (const { event, data } of events(response.body!)) {
        failures = 0;
        if (event === "quote") follower.quote(JSON.parse(data) as Quote);
        if (event === "problem") follower.fail(new Problem(JSON.parse(data) as ProblemBody));
      }
    } catch (error) {
      if (signal.aborted) return;
      follower.fail(error instanceof Problem ? error : new Unreachable("the service does not answer"));
      if (error instanceof Problem && error.body.status < 429) return; // it will not change by itself
    }
    await pause(Math.min(250 * 2 ** failures, 2000), signal);
  }
}

/** The events of a text/event-stream; comments are left out. */
async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<{ event: string; data: string }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const fields = new Map<string, string>();
        for (const line of text.slice(0, end).split("\n")) {
          const [, name, content] = /^(\w+): ?(.*)$/.exec(line) ?? [];
          if (name) fields.set(name, (fields.get(name) ?? "") + content);
        }
        text = text.slice(end + 2);
        const data = fields.get("data");
        if (data) yield { event: fields.get("event") ?? "message", data };
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
