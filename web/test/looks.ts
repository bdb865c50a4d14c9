import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { check, quoted, type World } from "./checks";
import { choose } from "./swaps";
import { root, screens } from "./world";

/** Counts how far content jumps about, as browsers measure it, from the first paint on. */
const shifts = {
  content: `window.shifts = []; new PerformanceObserver((list) => { for (const { value, hadRecentInput, sources } of list.getEntries()) if (!hadRecentInput) window.shifts.push([value, ...sources.map(({ node }) => node?.className ?? node?.nodeName)]); }).observe({ type: "layout-shift", buffered: true });`,
};

type Shift = [value: number, ...moved: string[]];

export function looks(world: World): void {
  check("a phone of 360 px sees all of it, without scrolling sideways", async () => {
    for (const [name, path] of [["swap", "/?in=MON&out=USDC&amount=123456.789"], ["market", "/market"], ["docs", "/docs"]] as const) {
      const { page } = await world.open(path, { width: 360, height: 740 });
      if (name === "swap") await quoted(page);
      else await page.locator("tbody tr").first().waitFor();
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 360, `${path} is ${wide} px wide`);
      await page.screenshot({ path: `${screens}/phone-${name}.png`, fullPage: name === "swap" });
    }
  });

  check("neither the load nor quotes that change move anything", async () => {
    for (const [width, height] of [[1240, 900], [360, 740]] as const) {
      const { page, context } = await world.open("/docs", { width, height });
      await context.addInitScript(shifts);
      await page.goto(`${world.dev.page}/?in=MON&out=USDC&amount=500000`);
      await quoted(page);
      await page.locator(".curve .stroke").waitFor();
      // Others trade enough to bend the price: the stream brings other quotes.
      const client = world.wallet().client();
      const query = new URLSearchParams({ tokenIn: "0x0000000000000000000000000000000000000000", tokenOut: "0x754704Bc059F8C67012fEd69BC8A327a5aafb603", amount: `3000000${"0".repeat(18)}`, recipient: client.account.address });
      const seen = new Set<string>();
      for (let i = 0; i < 4; i++) {
        const { tx } = await (await fetch(`${world.dev.page}/api/v1/swap?${query}`)).json();
        await client.waitForTransactionReceipt({ hash: await client.sendTransaction({ to: tx.to, data: tx.data, value: BigInt(tx.value), gas: BigInt(tx.estimatedGas) }) });
        await page.waitForTimeout(500);
        seen.add((await page.locator("output.amount").textContent())!);
      }
      assert.ok(seen.size > 1, "the quote does not change");
      const moved = (await page.evaluate(() => (window as any).shifts)) as Shift[];
      const sum = moved.reduce((total, [value]) => total + value, 0);
      console.log(`layout shift ${sum.toFixed(4)} at ${width} px over load and ${seen.size} quotes`);
      assert.ok(sum <= 0.05, `${sum.toFixed(4)} at ${width} px: ${JSON.stringify(moved)}`);
      await context.close();
    }
  });

  check("the first quote is there soon", async () => {
    const took: number[] = [];
    for (let i = 0; i < 3; i++) {
      const { page, context } = await world.open("/docs");
      await page.goto("about:blank");
      const began = Date.now();
      await page.goto(`${world.dev.page}/`, { waitUntil: "commit" });
      await quoted(page);
      took.push(Date.now() - began);
      await context.close();
    }
    const best = Math.min(...took);
    console.log(`first quote after ${took.join(", ")} ms`);
    assert.ok(best < 10_000, `${best} ms`); // loosely: the machine may be busy
  });

  check("everything together is under 150 kB", async () => {
    const folder = `${root}web/dist/assets`;
    const names = readdirSync(folder);
    const size = names.filter((name) => name.endsWith(".gz") || !names.includes(`${name}.gz`)).reduce((sum, name) => sum + readFileSync(`${folder}/${name}`).length, 0);
    console.log(`${Math.round(size / 1000)} kB packed`);
    assert.ok(size < 150_000);
  });

  check("the keyboard is enough", async () => {
    const { page } = await world.open("/");
    await quoted(page);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter"); // to the content
    await page.locator("#amount").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.keyboard.type("WBTC");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Pay with: WBTC" }).waitFor();
    await choose(page, "Pay with", "MON");
  });
}
