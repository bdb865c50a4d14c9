import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { h } from "preact";
import { renderToStaticMarkup } from "preact-render-to-string";
import { defineConfig, type Plugin } from "vite";
import { Guide, type Lesson } from "./src/guide";
import { Page } from "./src/page";

const at = (name: string) => join(import.meta.dirname, name);
const text = (name: string) => readFileSync(at(name), "utf8");

// A build empties the folder; of its files only this one is in git.
const ignored = readFileSync(at("dist/.gitignore"));

// Compresses the assets; the binary serves the compressed ones to clients that accept
// gzip. A file that would become less than a tenth smaller is left alone.
const compress: Plugin = {
  name: "compress",
  closeBundle() {
    writeFileSync(at("dist/.gitignore"), ignored);
    const folder = at("dist/assets");
    for (const name of readdirSync(folder).filter((name) => /\.(js|css|svg)$/.test(name))) {
      const body = readFileSync(join(folder, name));
      const compressed = gzipSync(body, { level: 9 });
      if (compressed.length < body.length * 0.9) writeFileSync(join(folder, `${name}.gz`), compressed);
    }
  },
};

// The lessons of the tutorial, with the versions of packages that this repository uses.
function lessons(): Lesson[] {
  const { dependencies, devDependencies } = JSON.parse(text("../package.json"));
  const npm: Record<string, string> = { ...dependencies, ...devDependencies };
  const ethereum = /go-ethereum (v\S+)/.exec(text("../go.mod"))![1];
  return [
    { name: "curl", file: "quote.sh", code: text("tutorial/quote.sh"), commands: ["bash quote.sh"] },
    {
      name: "TypeScript",
      file: "swap.mts",
      code: text("tutorial/swap.mts"),
      commands: [`npm install viem@${npm.viem} tsx@${npm.tsx}`, "KEY=__KEY__ npx tsx swap.mts"],
    },
    {
      name: "Go",
      file: "swap.go",
      code: text("tutorial/swap.go.txt"),
      commands: ["go mod init swap", `go get github.com/ethereum/go-ethereum@${ethereum}`, "go get .", "KEY=__KEY__ go run ."],
    },
  ];
}

// /docs can be read without JavaScript: its content is rendered here, from the
// OpenAPI document and the tutorial's files.
const docs: Plugin = {
  name: "docs",
  transformIndexHtml: {
    order: "post",
    handler(html, { filename }) {
      if (!filename.endsWith("docs.html")) return html;
      const guide = h(Guide, { document: JSON.parse(text("../api/openapi.json")), lessons: lessons() });
      const page = renderToStaticMarkup(h(Page, { path: "/docs", children: guide }));
      return html.replace('<div id="page"></div>', () => `<div id="page">${page}</div>`);
    },
  },
};

export default defineConfig({
  root: import.meta.dirname,
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the content security policy forbids inline styles and scripts
    reportCompressedSize: false,
    rollupOptions: { input: ["index.html", "market.html", "docs.html"].map(at) },
  },
  plugins: [compress, docs],
});
