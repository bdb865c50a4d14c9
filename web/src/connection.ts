// Whether the service is heard, and which block it named last.

import { computed, signal } from "@preact/signals";

export type Connection = "connecting" | "live" | "stale" | "offline";

/** A stream that works is silent for a second at most; after this long it is not working. */
const STALE_MS = 3000;

/** stale: silent for too long. offline: it cannot be reached at all. */
export const connection = signal<Connection>("connecting");

/** Whole seconds since the service was last heard. */
export const silentSeconds = signal(0);

/** Why the service has no quotes though it answers; empty when it has. */
export const notReadyReason = signal("");

/** The newest block, and when it was made by performance.now(). */
export const block = signal<{ number: number; madeAt: number } | undefined>(undefined);

/** When the market was last known to be that of the newest block, by performance.now(). */
export const updatedAt = signal<number | undefined>(undefined);

/** Whether a stream is meant to be open: then nothing else is asked for signs of life. */
export const streaming = signal(false);

/** Whether somebody can see the page. */
export const visible = signal(!document.hidden);

/** performance.now(), twice a second while somebody looks. */
const now = signal(performance.now());

let receivedAt = performance.now();

/** The service said something. */
export function markReceived(): void {
  receivedAt = performance.now();
  connection.value = "live";
  silentSeconds.value = 0;
}

/** The service cannot be reached. */
export function markUnreachable(): void {
  connection.value = "offline";
}

/** The times are the service's own, so the reader's clock may be wrong. */
export function setBlock(number: number, timestamp: number, sentAt: number): void {
  notReadyReason.value = "";
  if (block.value?.number === number) return;
  block.value = { number, madeAt: performance.now() - Math.max(sentAt - timestamp * 1000, 0) };
}

/** Whole seconds since a moment of performance.now(). */
export const secondsSince = (moment: number): number => Math.max(Math.floor((now.value - moment) / 1000), 0);

/** What to tell people while the figures cannot be trusted; empty while they can. */
export const connectionProblem = computed(() => {
  if (connection.value === "offline") return "The service cannot be reached. Trying again…";
  return connection.value === "stale" ? `No news from the service for ${silentSeconds.value} s` : "";
});

setInterval(() => {
  if (!visible.value) return;
  now.value = performance.now();
  const silent = now.value - receivedAt;
  if (silent < STALE_MS) return;
  silentSeconds.value = Math.floor(silent / 1000);
  if (connection.value !== "offline") connection.value = "stale";
}, 500);

document.addEventListener("visibilitychange", () => {
  visible.value = !document.hidden;
  now.value = receivedAt = performance.now();
  connection.value = "connecting"; // what is on the screen is from before
});
