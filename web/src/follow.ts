// A quote from block to block.

import { pause, Problem, request, Unreachable, type ProblemBody, type Query, type Quote } from "./api";
import { behind, following, heard, newBlock, unreachable } from "./connection";

export interface Follower {
  quote(quote: Quote): void;
  /** The answer is an error, or there is none; the page goes on trying. */
  fail(error: Problem | Unreachable): void;
}

/** A stream that was silent for this long is opened anew. */
const REOPEN_MS = 5000;

/** How often a page asks that may not keep a stream. */
const POLL_MS = 1500;

/**
 * A browser opens six connections to a host over HTTP/1.1, all its tabs
 * together. This many may be streams, so that there are always some left for
 * requests; the other visible tabs ask now and then.
 */
const STREAMS = 4;

/** Follows a quote until the signal says stop. */
export async function follow(query: Query, follower: Follower, signal: AbortSignal): Promise<void> {
  following.value = true;
  signal.addEventListener("abort", () => (following.value = false), { once: true });
  for (let failures = 0; !signal.aborted; failures++) {
    let wait = Math.min(250 * 2 ** failures, 2000);
    try {
      const streamed = await withSlot(() => stream(query, follower, signal, () => (failures = 0)));
      if (!streamed) {
        await poll(query, follower, signal);
        wait = POLL_MS;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Silent) continue;
      if (!(error instanceof Problem)) unreachable();
      follower.fail(error instanceof Problem ? error : new Unreachable("the service does not answer"));
      if (error instanceof Problem && error.body.status === 400) return; // it will not change by itself
    }
    await pause(wait, signal);
  }
}

/** Runs while it holds one of the slots of all tabs; false if there is none. */
async function withSlot(run: () => Promise<void>): Promise<boolean> {
  if (!navigator.locks) return run().then(() => true); // only secure origins have them
  for (let slot = 0; slot < STREAMS; slot++) {
    const ran = await navigator.locks.request(`stream ${slot}`, { ifAvailable: true }, async (lock) => {
      if (lock) await run();
      return lock !== null;
    });
    if (ran) return true;
  }
  return false;
}

/** The stream said nothing for too long. */
class Silent extends Error {}

async function stream(query: Query, follower: Follower, signal: AbortSignal, working: () => void): Promise<void> {
  const attempt = new AbortController();
  const stop = () => attempt.abort();
  signal.addEventListener("abort", stop, { once: true });
  let timer = setTimeout(stop, REOPEN_MS);
  const arrived = () => {
    clearTimeout(timer);
    timer = setTimeout(stop, REOPEN_MS);
    heard();
    working();
  };
  try {
    const response = await request("/stream", query, attempt.signal);
    for await (const { event, data } of events(response.body!, arrived)) tell(event, data, follower);
  } catch (error) {
    throw attempt.signal.aborted && !signal.aborted ? new Silent() : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    attempt.abort();
  }
}

function tell(event: string, data: string, follower: Follower): void {
  const body: unknown = JSON.parse(data);
  if (event === "block") {
    const { number, timestamp, sentAt } = body as { number: number; timestamp: number; sentAt: number };
    newBlock(number, timestamp, sentAt);
  } else if (event === "quote") {
    follower.quote(body as Quote);
  } else if (event === "problem") {
    const problem = new Problem(body as ProblemBody);
    if (problem.code === "STATE_STALE") behind.value = problem.message;
    follower.fail(problem);
  }
}

async function poll(query: Query, follower: Follower, signal: AbortSignal): Promise<void> {
  const both = AbortSignal.any([signal, AbortSignal.timeout(REOPEN_MS)]);
  try {
    const response = await request("/quote", query, both);
    const quote = (await response.json()) as Quote;
    const headers = response.headers;
    newBlock(quote.meta.blockNumber, Number(headers.get("X-Block-Timestamp")), Date.parse(headers.get("Date") ?? ""));
    heard();
    follower.quote(quote);
  } catch (error) {
    if (error instanceof Problem) heard();
    throw both.aborted && !signal.aborted ? new Silent() : error;
  }
}

/** The events of a text/event-stream. Comments are left out, but have arrived too. */
async function* events(body: ReadableStream<Uint8Array>, arrived: () => void): AsyncGenerator<{ event: string; data: string }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      arrived();
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
