import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { check, type Environment } from "./checks";
import { root, screenshots } from "./harness";

const run = promisify(execFile);

interface Lesson {
  file: string;
  code: string;
  commands: string;
}

/** What a reader copies: the file and the commands of each lesson. */
const readLessons = (page: Page): Promise<Lesson[]> =>
  page.locator("[data-lesson]").evaluateAll((lessons) =>
    lessons.map((lesson) => {
      const [code, commands] = [...lesson.querySelectorAll("pre")].map((block) => block.textContent!);
      return { file: (lesson as HTMLElement).dataset.lesson!, code: code!, commands: commands! };
    }),
  );

/** An empty folder that is not inside any project. */
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "braid-tutorial-"));
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    for (const project of ["package.json", "node_modules", "go.mod", "go.work"]) assert.ok(!existsSync(join(at, project)), `${project} in ${at}`);
  }
  return folder;
}

/** Runs the commands one by one and returns the output of the last one. */
async function runLesson({ file, code, commands }: Lesson): Promise<string> {
  const folder = emptyFolder();
  const { NODE_TEST_CONTEXT: _, ...env } = process.env; // as in a reader's shell
  let output = "";
  try {
    writeFileSync(join(folder, file), `${code}\n`);
    for (const command of commands.split("\n")) {
      const began = Date.now();
      output = (await run("bash", ["-c", command], { cwd: folder, env })).stdout;
      console.log(`${command.replace(/0x[0-9a-f]{64}/, "0x…")}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return output;
}

const expected: [file: string, output: RegExp][] = [
  ["quote.sh", /"symbol":"USDC"[\s\S]*"amountOut":"\d+"[\s\S]*"estimatedGas":"\d+"[\s\S]*event: quote/],
  ["swap.mts", /^success for \d+ wei of WMON/],
  ["swap.go", /^status 1 for \d+ units of USDC/],
];

/** The text of an HTML page, without tags and entities. */
const textOf = (html: string) =>
  html.replace(/<[^>]*>/g, "").replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))).replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&amp;/g, "&");

export function docs(environment: Environment): void {
  for (const [i, [file, output]] of expected.entries()) {
    check(`${file} of the tutorial runs in an empty folder by the printed commands`, async () => {
      const { page } = await environment.open("/docs");
      const lessons = await readLessons(page);
      assert.deepEqual(lessons.map((lesson) => lesson.file), expected.map(([name]) => name));
      assert.match(await runLesson(lessons[i]!), output);
    });
  }

  // Not run: commands that take long (make), need mainnet nodes (serve) or spend (deploy). Go tests compare those with Makefile and -h.
  check("the requests in README succeed", async () => {
    const lines = readFileSync(`${root}README.md`, "utf8").match(/^    (curl|build\/braid (quote|verify)) .*$/gm)!;
    assert.ok(lines.length >= 5, `${lines.length} requests`);
    const { host } = new URL(environment.dev.page);
    for (const line of lines.map((text) => text.trim())) {
      const { stdout } = await run("bash", ["-c", `${line.replaceAll("127.0.0.1:8080", host)} < /dev/null`], { cwd: root, env: { ...process.env, BRAID_ADDR: host } });
      if (line.startsWith("curl")) assert.equal(JSON.parse(stdout).code, undefined, `${line}: ${stdout}`);
      else assert.match(stdout, /USDC/, line);
    }
  });

  check("the docs are complete without JavaScript", async () => {
    const html = await (await fetch(`${environment.dev.page}/docs`)).text();
    const text = textOf(html);
    const document = await (await fetch(`${environment.dev.page}/openapi.json`)).json();
    for (const [path, { get }] of Object.entries<any>(document.paths)) {
      assert.ok(text.includes(`GET ${path}`), path);
      for (const raw of get.parameters ?? []) {
        const { name } = raw.$ref ? document.components.parameters[raw.$ref.split("/").at(-1)] : raw;
        assert.ok(html.split(`data-path="${path}"`)[1]!.split("</details>")[0]!.includes(`data-name="${name}"`), `${path} ${name}`);
      }
    }
    const { errors } = await (await fetch(`${environment.dev.page}/errors.json`)).json();
    for (const { code, title } of errors) assert.ok(html.includes(`id="${code}"`) && text.includes(title), code);
    for (const [file] of expected) assert.ok(text.includes(`save this as ${file}`), file);
    assert.ok(text.includes(`http.Get("${environment.dev.page}/api/v1/swap?`), "the blocks name this service");
    console.log(`/docs: ${html.length} characters of HTML, ${gzipSync(html).length} bytes compressed`);
  });

  check("without JavaScript the docs look the same, and their tabs work", async () => {
    for (const [name, width, dark] of [["1440-light", 1440, false], ["1440-dark", 1440, true], ["360-light", 360, false], ["360-dark", 360, true]] as const) {
      const { page } = await environment.open("/docs", { width, dark, javaScript: false });
      await page.getByText("npx tsx swap.mts").waitFor({ state: "hidden" });
      await page.getByText("TypeScript", { exact: true }).first().click();
      await page.getByText("npx tsx swap.mts").waitFor();
      await page.locator("#quote > summary").click();
      await page.getByText("Parameters", { exact: true }).first().waitFor();
      assert.equal(await page.getByRole("button", { name: "Try it" }).count(), 0);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${name} is ${wide} px wide`);
      await page.screenshot({ path: `${screenshots}/docs-plain-${name}.png`, fullPage: true });
    }
  });

  check("the script of the docs does not shift the layout", async () => {
    for (const width of [1440, 360]) {
      const { page, context } = await environment.open("/docs", { width });
      await context.addInitScript(() => {
        (window as any).shifts = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as any[]) (window as any).shifts += entry.value;
        }).observe({ type: "layout-shift", buffered: true });
      });
      await page.reload();
      await page.getByRole("button", { name: "Copy quote.sh" }).waitFor();
      await page.locator(".pulse.live").waitFor();
      const shifts = await page.evaluate(() => (window as any).shifts);
      console.log(`layout shift of /docs at ${width} px: ${shifts}`);
      assert.ok(shifts < 0.05, `${shifts}`);
      await page.screenshot({ path: `${screenshots}/docs-${width}-light.png`, fullPage: true });
    }
  });

  check("the examples contain the origin by which the reader opened the page", async () => {
    const { page } = await environment.open("/docs");
    const other = environment.dev.page.replace("127.0.0.1", "localhost");
    await page.goto(`${other}/docs`);
    await page.getByRole("button", { name: "Copy quote.sh" }).waitFor();
    for (const { file, code } of await readLessons(page)) assert.ok(code.includes(`${other}/api/v1`) && !code.includes(environment.dev.page), file);
  });

  check("every request of the reference can be tried", async () => {
    const { page } = await environment.open("/docs");
    const paths = Object.keys((await (await fetch(`${environment.dev.page}/openapi.json`)).json()).paths);
    // Nobody has sent the transaction that is the example of /receipt.
    for (const path of paths.filter((path) => path.startsWith("/api/") && !path.endsWith("/receipt"))) {
      const endpoint = page.locator("details.endpoint", { has: page.getByText(`GET ${path}`, { exact: true }) });
      await endpoint.locator("summary").click();
      await endpoint.getByRole("button", { name: "Try it" }).click();
      await endpoint.locator(".block").getByText(/^200/).waitFor();
    }
    await page.screenshot({ path: `${screenshots}/reference-light.png`, fullPage: true });
  });
}
