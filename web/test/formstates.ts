// The states of the form: checked by axe at 360 px in both themes, captured at three
// widths, and none shifts the layout.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { violations } from "./axe";
import { check, quoted, type Environment } from "./checks";
import { ACTION, confirm, connect } from "./swaps";
import { screenshots, type Wallet } from "./harness";

const WBTC = "0x0555E30da8f98308EdB960aa94C0Db47230d2B9c";

/** Brings the form into one state after another. */
async function* states(environment: Environment, page: Page, wallet: Wallet): AsyncGenerator<string> {
  const amount = page.locator("#amount");
  const escape = async () => (await page.keyboard.press("Escape"), await page.getByRole("dialog").waitFor({ state: "detached" }));
  await quoted(page);
  await connect(page, "Test wallet");
  await page.getByRole("button", { name: "Max" }).waitFor();
  yield "form";
  await amount.fill("0.1234567890123456789");
  await page.locator("#amount-note .bad").waitFor();
  yield "amount-wrong";
  await amount.fill("1,000");
  await page.getByRole("button", { name: "1000 MON" }).waitFor();
  yield "amount-either";
  await amount.fill("$100");
  await page.getByRole("button", { name: /^≈/ }).waitFor();
  yield "amount-dollars";
  await amount.fill("17");
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByLabel("Recipient's address").fill("0x00000000000000000000000000000000000b0b03");
  await escape();
  await page.locator(ACTION, { hasText: "Swap to" }).click();
  await page.getByRole("button", { name: /^Confirm swap/ }).waitFor();
  yield "confirm-recipient";
  await page.getByRole("dialog").getByText("What you sign").click();
  yield "confirm-signed";
  await escape();
  yield "recipient";
  await page.getByRole("button", { name: "Pay my own account" }).click();
  await page.locator(ACTION, { hasText: /^Swap$/ }).waitFor();

  let mined = false;
  const original = wallet.request.bind(wallet);
  wallet.request = async (method, params) => (method === "eth_getTransactionReceipt" && !mined ? null : original(method, params));
  await confirm(page);
  await page.waitForFunction(() => document.querySelector(".steps .now")?.textContent?.includes("Waiting for the chain"));
  yield "swapping";
  await escape();
  await page.getByRole("button", { name: "Transactions: 1 pending" }).waitFor();
  yield "pending";
  mined = true;
  await page.locator(".toast").waitFor();
  yield "toast";
  await page.locator(".toast").getByRole("button", { name: "Details" }).click();
  await page.locator(".receipt").waitFor();
  yield "receipt";
  await escape();
  await page.getByRole("button", { name: "Transactions" }).click();
  yield "transactions";
  await escape();

  await page.getByRole("button", { name: "Receive" }).click();
  await page.getByRole("grid").getByText(/^\$[\d.,]+M?$/).first().waitFor();
  yield "picker";
  await page.getByRole("combobox").fill(WBTC);
  await page.getByRole("grid").getByRole("row").first().locator(".main").click();
  await page.getByRole("button", { name: "Use this token" }).waitFor();
  yield "risk";
  await page.getByRole("button", { name: "Use this token" }).click();
  await page.locator(".notes .note").waitFor();
  yield "lookalike";
  await page.goto(`${environment.dev.page}/?in=USDC&out=EURm&amount=1000000`);
  await connect(page, "Test wallet");
  await page.getByRole("button", { name: /impact$/ }).waitFor();
  yield "impact";
  await page.goto(`${environment.dev.page}/?in=MON&out=0x00000000000000000000000000000000DeaDBeef&amount=5`);
  await page.locator(".notes .note.bad").waitFor();
  yield "unknown-token";
}

export function formStates(environment: Environment): void {
  for (const dark of [false, true]) {
    const theme = dark ? "dark" : "light";
    check(`every state of the form, ${theme}: drawn at three widths, and axe finds nothing at 360 px`, async () => {
      const problems: string[] = [];
      for (const width of [360, 1024, 1440]) {
        const wallet = environment.wallet();
        const { page, context } = await environment.open("/docs", { wallet, dark, width, height: width === 360 ? 740 : 900 });
        await context.route(/\/api\/v1\/tokens/, async (route) => {
          const response = await route.fetch();
          const body = await response.json();
          for (const token of body.tokens) if (token.address === WBTC) Object.assign(token, { symbol: "U\u0405DC", name: "USD Coin", isVerified: false });
          await route.fulfill({ response, json: body });
        });
        await page.goto(`${environment.dev.page}/?in=MON&out=USDC&amount=1000`);
        for await (const state of states(environment, page, wallet)) {
          await page.screenshot({ path: `${screenshots}/state-${state}-${width}-${theme}.png` });
          const pageWidth = await page.evaluate(() => document.documentElement.scrollWidth);
          if (pageWidth > width) problems.push(`${state} is ${pageWidth} px wide`);
          if (width === 360) problems.push(...(await violations(page, state)));
        }
        await context.close();
      }
      assert.deepEqual(problems, []);
    }, /422/);
  }

  check("content that appears without input does not shift the layout", async () => {
    for (const [width, height] of [[1240, 900], [360, 740]] as const) {
      const { page, context } = await environment.open("/docs", { width, height });
      await context.addInitScript({
        content: `window.shifts = []; new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push([entry.value, ...entry.sources.map(({ node }) => node?.className ?? node?.nodeName)]); }).observe({ type: "layout-shift", buffered: true });`,
      });
      for (const [link, there] of [
        ["/?in=MON&out=USDC&amount=1000", ".curve .stroke"],
        ["/?in=USDC&out=EURm&amount=1000000", ".notes .offer"],
        ["/?in=MON&out=USDC&amount=1000000000000000000000000", ".outcome .note"],
        ["/?in=MON&out=0x00000000000000000000000000000000DeaDBeef&amount=5", ".notes .note"],
      ] as const) {
        await page.goto(environment.dev.page + link);
        await page.locator(there).first().waitFor();
        await page.waitForTimeout(300);
        const shifts = (await page.evaluate(() => (window as any).shifts)) as [number, ...string[]][];
        const sum = shifts.reduce((total, [value]) => total + value, 0);
        console.log(`layout shift ${sum.toFixed(4)} at ${width} px, ${link}`);
        assert.ok(sum <= 0.05, `${link} at ${width} px: ${JSON.stringify(shifts)}`);
      }
      await context.close();
    }
  });
}
