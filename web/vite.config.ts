import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const at = (name: string) => join(import.meta.dirname, name);

// The folder is emptied before a build, but for this file it is not in git.
const ignored = readFileSync(at("dist/.gitignore"));

// The binary serves files packed where packing pays.
const pack: Plugin = {
  name: "pack",
  closeBundle() {
    writeFileSync(at("dist/.gitignore"), ignored);
    const folder = at("dist/assets");
    for (const name of readdirSync(folder).filter((name) => /\.(js|css|svg)$/.test(name))) {
      const body = readFileSync(join(folder, name));
      const packed = gzipSync(body, { level: 9 });
      if (packed.length < body.length * 0.9) writeFileSync(join(folder, `${name}.gz`), packed);
    }
  },
};

export default defineConfig({
  root: import.meta.dirname,
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the policy has no inline styles or scripts
    reportCompressedSize: false,
    rollupOptions: { input: ["index.html", "market.html", "docs.html"].map(at) },
  },
  plugins: [pack],
});
