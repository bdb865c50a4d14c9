import assert from "node:assert/strict";
import { check, type World } from "./checks";
import { screens } from "./world";

export function market(world: World): void {
  check("the market shows every source and token", async () => {
    const { page } = await world.open("/market");
    const { sources, tokens } = await (await fetch(`${world.dev.page}/api/v1/market`)).json();
    await page.locator(".state.live").first().waitFor();
    assert.equal(await page.locator('[aria-label="Table of sources"] tbody tr').count(), sources.length);
    assert.equal(await page.locator('[aria-label="Table of tokens"] tbody tr').count(), tokens.length);
    await page.screenshot({ path: `${screens}/market-light.png`, fullPage: true });
    await page.getByLabel("Find a token").fill("usdc");
    await page.waitForFunction(() => document.querySelectorAll('[aria-label="Table of tokens"] tbody tr').length < 10);
  });
}
