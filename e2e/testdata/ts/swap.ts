// A swap with the two TypeScript clients that are made of /openapi.json:
//
//     openapi-typescript http://127.0.0.1:8080/openapi.json -o schema.d.ts
//     openapi-ts -i http://127.0.0.1:8080/openapi.json -o hey -c @hey-api/client-fetch
//     tsx swap.ts http://127.0.0.1:8080
//
// Each asks for a quote, for the swap, and for one with a mistake in it; the
// swaps are printed as JSON, a line each, for whoever signs them.
import createClient from "openapi-fetch";
import { createClient as createHey } from "./hey/client";
import { quote, swap, tokens, type Problem, type Swap } from "./hey";
import type { paths } from "./schema";

const base = process.argv[2]!;
const amount = String(1000n * 10n ** 18n);
const recipient = "0x00000000000000000000000000000000c0ffee02";
const include = "meta,why,approval,calls,permit";

function fail(why: string, seen: unknown): never {
  throw new Error(`${why}: ${JSON.stringify(seen)}`);
}

/** With openapi-fetch, on the types of openapi-typescript. */
async function byFetch(): Promise<Swap> {
  const client = createClient<paths>({ baseUrl: base });
  const token = async (symbol: string) => {
    const { data, error } = await client.GET("/api/v1/tokens", { params: { query: { search: symbol } } });
    return data?.tokens.find((t) => t.symbol === symbol && t.isVerified)?.address ?? fail(symbol, error);
  };
  const [tokenIn, tokenOut] = [await token("WMON"), await token("USDC")];
  const quoted = await client.GET("/api/v1/quote", { params: { query: { tokenIn, tokenOut, amount } } });
  const { data, error } = await client.GET("/api/v1/swap", { params: { query: { tokenIn, tokenOut, amount, recipient, slippageBps: 50, include } } });
  if (!data || data.amountOut !== quoted.data?.amountOut) fail("openapi-fetch", error ?? data);
  const wrong = await client.GET("/api/v1/quote", { params: { query: { tokenIn, tokenOut, amount: "1.5" } } });
  if (wrong.error?.code !== "INVALID_AMOUNT" || wrong.error.errors[0]?.parameter !== "amount") fail("a wrong amount", wrong.error);
  return data;
}

/** With the client of hey-api. */
async function byHey(): Promise<Swap> {
  const client = createHey({ baseUrl: base });
  const token = async (search: string) => {
    const { data, error } = await tokens({ client, query: { search } });
    return data?.tokens.find((t) => t.symbol === search && t.isVerified)?.address ?? fail(search, error);
  };
  const [tokenIn, tokenOut] = [await token("WMON"), await token("USDC")];
  const quoted = await quote({ client, query: { tokenIn, tokenOut, amount } });
  const { data, error } = await swap({ client, query: { tokenIn, tokenOut, amount, recipient, slippageBps: 50, include } });
  if (!data || data.amountOut !== quoted.data?.amountOut) fail("hey-api", error ?? data);
  const wrong: Problem | undefined = (await quote({ client, query: { tokenIn, tokenOut, amount: "1.5" } })).error;
  if (wrong?.code !== "INVALID_AMOUNT" || wrong.errors[0]?.parameter !== "amount") fail("a wrong amount", wrong);
  return data;
}

for (const made of [await byFetch(), await byHey()]) console.log(JSON.stringify(made));
