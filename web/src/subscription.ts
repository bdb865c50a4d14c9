// A subscription to the quote of an order, by a stream or by polling.

import { delay, Problem, request, Unreachable, type ProblemBody, type Query, type Quote } from "./api";
import { notReadyReason, subscribed, markReceived, setBlock, markUnreachable } from "./connection";

export interface Subscriber {
  onQuote(quote: Quote): void;
  /** The response is an error, or there is none. The subscription continues, except after status 400. */
  onError(error: Problem | Unreachable): void;
}

/** A stream that sends nothing for this long is closed and opened again. */
const SILENCE_TIMEOUT_MS = 5000;

/** The interval of requests by a page that has no stream. */
const POLL_MS = 1500;

/**
 * Over HTTP/1.1 a browser opens six connections to a host for all its tabs
 * together. This many may be streams, so that requests always find a connection;
 * other visible tabs poll.
 */
const MAX_STREAMS = 4;

/** Reports quotes and errors until the signal aborts. */
export async function subscribe(query: Query, subscriber: Subscriber, signal: AbortSignal): Promise<void> {
  subscribed.value = true;
  signal.addEventListener("abort", () => (subscribed.value = false), { once: true });
  for (let failures = 0; !signal.aborted; failures++) {
    let delayMs = Math.min(250 * 2 ** failures, 2000);
    try {
      const streamed = await withSlot(() => stream(query, subscriber, signal, () => (failures = 0)));
      if (!streamed) {
        await poll(query, subscriber, signal);
        delayMs = POLL_MS;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof StreamTimeout) continue;
      if (!(error instanceof Problem)) markUnreachable();
      subscriber.onError(error instanceof Problem ? error : new Unreachable("the service does not answer"));
      if (error instanceof Problem && error.body.status === 400) return; // the same request always fails
    }
    await delay(delayMs, signal);
  }
}

/** Runs while it holds one of the stream locks shared by all tabs; false if none is free. */
async function withSlot(run: () => Promise<void>): Promise<boolean> {
  if (!navigator.locks) return run().then(() => true); // not available on insecure origins
  for (let slot = 0; slot < MAX_STREAMS; slot++) {
    const ran = await navigator.locks.request(`stream ${slot}`, { ifAvailable: true }, async (lock) => {
      if (lock) await run();
      return lock !== null;
    });
    if (ran) return true;
  }
  return false;
}

/** The stream sent nothing for SILENCE_TIMEOUT_MS. */
class StreamTimeout extends Error {}

async function stream(query: Query, subscriber: Subscriber, signal: AbortSignal, onProgress: () => void): Promise<void> {
  const attempt = new AbortController();
  const abort = () => attempt.abort();
  signal.addEventListener("abort", abort, { once: true });
  let timer = setTimeout(abort, SILENCE_TIMEOUT_MS);
  const onData = () => {
    clearTimeout(timer);
    timer = setTimeout(abort, SILENCE_TIMEOUT_MS);
    markReceived();
    onProgress();
  };
  try {
    const response = await request("/stream", query, attempt.signal);
    for await (const { event, data } of events(response.body!, onData)) dispatch(event, data, subscriber);
  } catch (error) {
    throw attempt.signal.aborted && !signal.aborted ? new StreamTimeout() : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    attempt.abort();
  }
}

function dispatch(event: string, data: string, subscriber: Subscriber): void {
  const body: unknown = JSON.parse(data);
  if (event === "block") {
    const { number, timestamp, sentAt } = body as { number: number; timestamp: number; sentAt: number };
    setBlock(number, timestamp, sentAt);
  } else if (event === "quote") {
    subscriber.onQuote(body as Quote);
  } else if (event === "problem") {
    const problem = new Problem(body as ProblemBody);
    if (problem.code === "STATE_STALE") notReadyReason.value = problem.message;
    subscriber.onError(problem);
  }
}

async function poll(query: Query, subscriber: Subscriber, signal: AbortSignal): Promise<void> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(SILENCE_TIMEOUT_MS)]);
  try {
    const response = await request("/quote", query, limited);
    const quote = (await response.json()) as Quote;
    const headers = response.headers;
    setBlock(quote.meta.blockNumber, Number(headers.get("X-Block-Timestamp")), Date.parse(headers.get("Date") ?? ""));
    markReceived();
    subscriber.onQuote(quote);
  } catch (error) {
    if (error instanceof Problem) markReceived();
    throw limited.aborted && !signal.aborted ? new StreamTimeout() : error;
  }
}

/** The events of a text/event-stream body. Comments are skipped, but call onData too. */
async function* events(body: ReadableStream<Uint8Array>, onData: () => void): AsyncGenerator<{ event: string; data: string }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onData();
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
