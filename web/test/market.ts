import assert from "node:assert/strict";
import { check, type Environment } from "./checks";
import { screenshots } from "./harness";

export function market(environment: Environment): void {
  check("the market page lists every source and token", async () => {
    const { page } = await environment.open("/market");
    const { sources, tokens } = await (await fetch(`${environment.dev.page}/api/v1/market`)).json();
    await page.locator(".state.live").first().waitFor();
    assert.equal(await page.locator('[aria-label="Table of sources"] tbody tr').count(), sources.length);
    assert.equal(await page.locator('[aria-label="Table of tokens"] tbody tr').count(), tokens.length);
    await page.screenshot({ path: `${screenshots}/market-light.png`, fullPage: true });
    await page.getByLabel("Find a token").fill("usdc");
    await page.waitForFunction(() => document.querySelectorAll('[aria-label="Table of tokens"] tbody tr').length < 10);
  });
}
