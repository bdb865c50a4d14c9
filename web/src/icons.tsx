import { useState } from "preact/hooks";
import type { Token } from "./api";
import { logoURL } from "./tokens";

const stroke = { fill: "none", stroke: "currentColor", "stroke-width": 1.8, "stroke-linecap": "round", "stroke-linejoin": "round" } as const;
const icon = (path: string) => () => (
  <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true" {...stroke}>
    <path d={path} />
  </svg>
);

export const Moon = icon("M16.5 11.8A7 7 0 1 1 8.2 3.5a5.6 5.6 0 0 0 8.3 8.3Z");
export const Sliders = icon("M3 6h6m4 0h4M3 14h2m4 0h8M11 4v4M7 12v4");
export const Chevron = icon("m5 8 5 5 5-5");
export const Arrows = icon("M6.5 3.5v13m0 0-3-3m3 3 3-3M13.5 16.5v-13m0 0-3 3m3-3 3 3");
export const Cross = icon("m5 5 10 10M15 5 5 15");
export const Copy = icon("M7 7V4.5A1.5 1.5 0 0 1 8.5 3h7A1.5 1.5 0 0 1 17 4.5v7a1.5 1.5 0 0 1-1.5 1.5H13M4.5 7h7A1.5 1.5 0 0 1 13 8.5v7a1.5 1.5 0 0 1-1.5 1.5h-7A1.5 1.5 0 0 1 3 15.5v-7A1.5 1.5 0 0 1 4.5 7Z");
export const Star = icon("m10 3 2.1 4.5 4.9.6-3.6 3.4.9 4.9-4.3-2.4-4.3 2.4.9-4.9L3 8.1l4.9-.6Z");
export const Clock = icon("M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm0-11v4l2.5 2");
export const Tick = icon("m4 10.5 4 4 8-9");

export const Verified = () => (
  <svg class="verified" viewBox="0 0 16 16" width="14" height="14" role="img" aria-label="verified">
    <path fill="currentColor" d="m8 .8 1.9 1.4 2.4-.1.6 2.3 2 1.3-.9 2.2.9 2.3-2 1.3-.6 2.3-2.4-.1L8 15.2l-1.9-1.5-2.4.1-.6-2.3-2-1.3.9-2.3-.9-2.2 2-1.3.6-2.3 2.4.1Z" />
    <path fill="none" stroke="var(--card)" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" d="m5.2 8.2 2 2 3.6-4.2" />
  </svg>
);

/** A token's logo, or its first letters if there is none. */
export function Logo({ token, size = 32 }: { token: Pick<Token, "address" | "symbol" | "logoURI">; size?: number }) {
  const [broken, setBroken] = useState("");
  const [shown, setShown] = useState("");
  const hue = parseInt(token.address.slice(2, 8), 16) % 360;
  const source = logoURL(token);
  const usable = source.startsWith("https://") && broken !== source;
  return (
    <span class="logo" style={{ width: `${size}px`, height: `${size}px`, fontSize: `${size * 0.36}px`, "--hue": hue }} aria-hidden="true">
      {!(usable && shown === source) && [...token.symbol].slice(0, 2).join("")}
      {usable && (
        <img
          src={source}
          alt=""
          width={size}
          height={size}
          loading="lazy"
          decoding="async"
          onLoad={() => setShown(source)}
          onError={() => setBroken(source)}
        />
      )}
    </span>
  );
}
