// Whether the service responds, and the newest block that it has reported.

import { computed, signal } from "@preact/signals";

export type Connection = "connecting" | "live" | "stale" | "offline";

/** A working stream sends an event every second; after this long without one the connection counts as stale. */
const STALE_MS = 3000;

/** stale: nothing was received for STALE_MS. offline: requests fail. */
export const connection = signal<Connection>("connecting");

/** Whole seconds since something was received from the service. */
export const silentSeconds = signal(0);

/** Why the service, though it responds, has no quotes; empty if it has. */
export const notReadyReason = signal("");

/** The newest block, and when it was produced, as a time of performance.now(). */
export const block = signal<{ number: number; madeAt: number } | undefined>(undefined);

/** When the market was last known to be that of the newest block, as a time of performance.now(). */
export const updatedAt = signal<number | undefined>(undefined);

/** Whether a quote subscription is active: then readiness is not polled. */
export const subscribed = signal(false);

/** Whether the page is visible to the user. */
export const visible = signal(!document.hidden);

/** performance.now(), updated twice a second while the page is visible. */
const now = signal(performance.now());

let receivedAt = performance.now();

/** Records that something was received from the service. */
export function markReceived(): void {
  receivedAt = performance.now();
  connection.value = "live";
  silentSeconds.value = 0;
}

/** Records that a request to the service failed. */
export function markUnreachable(): void {
  connection.value = "offline";
}

/** Both times are from the service's clock (timestamp in s, sentAt in ms), so an error of the user's clock does not matter. */
export function setBlock(number: number, timestamp: number, sentAt: number): void {
  notReadyReason.value = "";
  if (block.value?.number === number) return;
  block.value = { number, madeAt: performance.now() - Math.max(sentAt - timestamp * 1000, 0) };
}

/** Whole seconds since a time of performance.now(). */
export const secondsSince = (moment: number): number => Math.max(Math.floor((now.value - moment) / 1000), 0);

/** The message to show while figures may be out of date; empty otherwise. */
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
  connection.value = "connecting"; // the figures on the screen are from before the page was hidden
});
