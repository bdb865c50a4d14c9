// The header and footer of every page. The build renders /docs with it, so it may use
// neither the document nor state.

import type { ComponentChildren } from "preact";

const pages = [
  ["/", "Swap"],
  ["/market", "Market"],
  ["/docs", "Docs"],
] as const;

interface PageProps {
  path: string;
  /** Controls at the right of the header, which need a script. */
  controls?: ComponentChildren;
  children: ComponentChildren;
}

export const Page = ({ path: here, controls, children }: PageProps) => (
  <>
    <a class="skip" href="#main">
      Skip to the content
    </a>
    <header>
      <a class="brand" href="/" aria-label="braid, start page">
        <img src="/assets/icon.svg" alt="" width="28" height="28" />
        <span>braid</span>
      </a>
      <nav aria-label="Pages">
        {pages.map(([path, name]) => (
          <a href={path} key={path} {...(here === path ? { "aria-current": "page" as const } : {})}>
            {name}
          </a>
        ))}
      </nav>
      <div class="right">{controls}</div>
    </header>
    <main id="main">{children}</main>
    <footer>
      <span>Quotes are exact to the wei on the block they name. braid never holds keys or funds.</span>
      <span>
        <a href="/openapi.json">OpenAPI</a> <a href="/errors.json">Errors</a> <a href="/tokenlist.json">Token list</a>
      </span>
    </footer>
  </>
);
