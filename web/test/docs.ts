import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { check, type World } from "./checks";
import { root, screens } from "./world";

const run = promisify(execFile);

export function docs(world: World): void {
  check("the tutorial's blocks run as they are printed", async () => {
    const { page } = await world.open("/docs");
    await page.screenshot({ path: `${screens}/docs-light.png`, fullPage: true });
    const folder = `${root}build/tutorial`;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const lessons = await page.locator("[data-run]").evaluateAll((runs) =>
      runs.map((line) => {
        const file = (line as HTMLElement).dataset.run!;
        return { file, command: line.textContent!, code: document.querySelector(`[data-file="${file}"]`)!.textContent! };
      }),
    );
    assert.deepEqual(lessons.map(({ file }) => file), ["quote.sh", "swap.ts", "swap.go"]);
    const expected = [/"symbol":"USDC"[\s\S]*"amountOut":"\d+"[\s\S]*"estimatedGas":"\d+"[\s\S]*event: quote/, /^success for \d+ wei of WMON/, /^status 1 for \d+ units of USDC/];
    for (const [i, { file, command, code }] of lessons.entries()) {
      writeFileSync(`${folder}/${file}`, code);
      const { stdout } = await run("bash", ["-c", command], { cwd: folder });
      assert.match(stdout, expected[i]!, file);
    }
  });

  check("every request of the reference can be tried", async () => {
    const { page } = await world.open("/docs");
    const paths = Object.keys((await (await fetch(`${world.dev.page}/openapi.json`)).json()).paths);
    for (const path of paths.filter((path) => path.startsWith("/api/"))) {
      const endpoint = page.locator("details.endpoint", { has: page.getByText(`GET ${path}`, { exact: true }) });
      await endpoint.locator("summary").click();
      await endpoint.getByRole("button", { name: "Try it" }).click();
      await endpoint.locator(".block").getByText(/^200/).waitFor();
    }
    await page.screenshot({ path: `${screens}/reference-light.png`, fullPage: true });
  });

  check("the catalogue lists every error", async () => {
    const { page } = await world.open("/docs#errors");
    const { errors } = await (await fetch(`${world.dev.page}/errors.json`)).json();
    await page.locator("#NO_ROUTE").waitFor();
    assert.equal(await page.locator('[aria-label="Table of errors"] tbody tr').count(), errors.length);
  });
}
