// Header parts that all pages share.

import { effect } from "@preact/signals";
import { render, type ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { notReadyReason, block, connection, subscribed, markReceived, visible, connectionProblem, markUnreachable, updatedAt } from "./connection";
import { Moon } from "./icons";
import { Page } from "./page";

/** Polls /readyz while no stream reports the state of the service. */
async function pollReadiness(): Promise<void> {
  if (!visible.value || subscribed.value) return;
  try {
    const response = await fetch("/readyz", { signal: AbortSignal.timeout(5000) });
    const { ready, block: number, reason, ageSeconds } = (await response.json()) as { ready: boolean; block: number; reason: string; ageSeconds: number | null };
    if (subscribed.value) return;
    markReceived();
    if (number) block.value = { number, madeAt: performance.now() };
    updatedAt.value = ageSeconds === null ? undefined : performance.now() - ageSeconds * 1000;
    notReadyReason.value = ready ? "" : reason || "the market is being loaded";
  } catch (error) {
    if ((error as Error).name !== "TimeoutError") markUnreachable();
  }
}

const stateLabels = { connecting: "…", live: "live", stale: "no news", offline: "offline" };

function ServiceStatus() {
  useEffect(() => {
    void pollReadiness();
    const timer = setInterval(() => void pollReadiness(), 2000);
    return () => clearInterval(timer);
  }, []);
  const catchingUp = connection.value === "live" && notReadyReason.value !== "";
  return (
    <a class={`pulse ${catchingUp ? "behind" : connection.value}`} href="/market" title={notReadyReason.value || "The newest block of the market"}>
      <i aria-hidden="true" />
      <span class="number">{block.value ? block.value.number.toLocaleString() : "–"}</span>
      <span class="state">{catchingUp ? "catching up" : stateLabels[connection.value]}</span>
    </a>
  );
}

// The style sheet greys figures that may be out of date.
effect(() => {
  document.documentElement.dataset.connection = connection.value;
});

/** Says that figures are out of date. The count of seconds is hidden from screen readers, which would read out every change. */
function ConnectionNotice() {
  const [text, seconds] = connectionProblem.value.split(/(?= for \d+ s$)/);
  return (
    <p class={connectionProblem.value ? "news" : "news none"} role="status">
      {text}
      <span aria-hidden="true">{seconds}</span>
    </p>
  );
}

function toggleTheme(): void {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
}

/** The right side of the header: state of the service, theme, and the page's own controls. */
export const Controls = ({ children }: { children?: ComponentChildren }) => (
  <>
    <ServiceStatus />
    <ConnectionNotice />
    <button type="button" class="icon" onClick={toggleTheme} aria-label="Change between dark and light">
      <Moon />
    </button>
    {children}
  </>
);

export function mount(content: ComponentChildren, extraControls?: ComponentChildren): void {
  render(
    <Page path={location.pathname} controls={<Controls>{extraControls}</Controls>}>
      {content}
    </Page>,
    document.getElementById("page")!,
  );
}
