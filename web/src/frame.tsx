// What all pages have around them.

import { signal } from "@preact/signals";
import { render, type ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Moon } from "./icons";
import { Page } from "./page";

interface Pulse {
  state: "asking" | "live" | "behind" | "offline";
  block: number;
  reason: string;
}

/** How the service is, asked every other second while somebody looks. */
export const pulse = signal<Pulse>({ state: "asking", block: 0, reason: "" });

async function feel(): Promise<void> {
  if (document.hidden) return;
  try {
    const { ready, block, reason } = (await (await fetch("/readyz")).json()) as { ready: boolean; block: number; reason: string };
    const now: Pulse = { state: ready ? "live" : "behind", block, reason };
    if (JSON.stringify(now) !== JSON.stringify(pulse.value)) pulse.value = now;
  } catch {
    pulse.value = { ...pulse.value, state: "offline", reason: "the service does not answer" };
  }
}

const told = { asking: "…", live: "live", behind: "catching up", offline: "offline" };

function Pulse() {
  useEffect(() => {
    void feel();
    const timer = setInterval(() => void feel(), 2000);
    return () => clearInterval(timer);
  }, []);
  const { state, block, reason } = pulse.value;
  return (
    <a class={`pulse ${state}`} href="/market" title={reason || "The newest block of the market"}>
      <i aria-hidden="true" />
      <span class="number">{block ? block.toLocaleString("en-US") : "–"}</span>
      <span class="state">{told[state]}</span>
    </a>
  );
}

function turn(): void {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
}

/** The right of the header: how the service is, the theme, and what a page adds. */
export const Controls = ({ children }: { children?: ComponentChildren }) => (
  <>
    <Pulse />
    <button type="button" class="icon" onClick={turn} aria-label="Change between dark and light">
      <Moon />
    </button>
    {children}
  </>
);

export function mount(content: ComponentChildren, corner?: ComponentChildren): void {
  render(
    <Page path={location.pathname} controls={<Controls>{corner}</Controls>}>
      {content}
    </Page>,
    document.getElementById("page")!,
  );
}
