import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { check, quoted, type Environment } from "./checks";
import { screenshots, visit } from "./harness";

/** Elements to press that are smaller than 44 px. Links inside sentences may be smaller. */
const smallTargets = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("a, button, summary, input, [role=option], [role=tab]")].flatMap((target) => {
      const named = target.closest("label") ?? target;
      const { width, height } = (target.matches("input[type=checkbox]") ? named : target).getBoundingClientRect();
      const seen = target.checkVisibility({ visibilityProperty: true }) && width > 1 && !target.classList.contains("skip");
      const inSentence = target.matches("p a, li a, td a, dd a");
      return seen && !inSentence && (width < 43.5 || height < 43.5) ? [`${target.outerHTML.slice(0, 90)}: ${Math.round(width)} x ${Math.round(height)}`] : [];
    }),
  );

export function resilience(environment: Environment): void {
  check("a service that is down while the page loads is reported, and the page recovers", async () => {
    for (const [path, ready] of [["/?in=MON&out=USDC&amount=10", "output.amount"], ["/market", "tbody tr"]] as const) {
      const { page, context } = await visit(environment.browser, "about:blank");
      const down = /\/api\/|\/readyz/;
      await context.route(down, (route) => route.abort("connectionrefused"));
      await page.goto(environment.dev.page + path);
      await page.locator(".news", { hasText: "The service cannot be reached" }).waitFor();
      await page.locator(".loading").waitFor();
      await page.locator(".pulse.offline").waitFor();
      if (path !== "/market") await page.screenshot({ path: `${screenshots}/offline-light.png` });
      if (path !== "/market") await page.locator("#amount").fill("12"); // before the list has loaded
      await context.unroute(down);
      await page.locator(ready, { hasText: /[1-9]/ }).first().waitFor();
      await page.locator(".news").waitFor({ state: "hidden" });
      await page.locator(".loading").waitFor({ state: "detached" });
      if (path !== "/market") await page.locator('.see [role="status"]', { hasText: /^12 MON buys/ }).waitFor();
      await context.close();
    }
  });

  check("an unknown path shows a page with links", async () => {
    const response = await fetch(`${environment.dev.page}/nope`, { headers: { accept: "text/html,*/*;q=0.8" } });
    assert.deepEqual([response.status, response.headers.get("content-type")], [404, "text/html; charset=utf-8"]);
    assert.equal((await fetch(`${environment.dev.page}/nope`)).headers.get("content-type"), "application/problem+json");
    const { page } = await environment.open("/nope?x=1");
    assert.deepEqual(await smallTargets(page), []);
    await page.getByRole("link", { name: "Swap" }).click();
    await quoted(page);
  }, /404/);

  check("a quote is announced once, not at every block", async () => {
    const { page } = await environment.open("/?in=MON&out=USDC&amount=1000");
    const announced = page.locator('.see [role="status"]');
    await announced.getByText(/^1,000 MON buys [\d.,]+ USDC$/).waitFor();
    await announced.evaluate((region) => {
      (window as any).spoken = [];
      new MutationObserver(() => (window as any).spoken.push(region.textContent)).observe(region, { childList: true, subtree: true, characterData: true });
    });
    // Other swaps move the price, so that new blocks have new quotes.
    const client = environment.wallet().client();
    const shown = new Set<string>();
    for (let i = 0; i < 3; i++) {
      const query = new URLSearchParams({ tokenIn: "0x0000000000000000000000000000000000000000", tokenOut: "0x754704Bc059F8C67012fEd69BC8A327a5aafb603", amount: `400000${"0".repeat(18)}`, recipient: client.account.address });
      const { tx } = await (await fetch(`${environment.dev.page}/api/v1/swap?${query}`)).json();
      await client.waitForTransactionReceipt({ hash: await client.sendTransaction({ to: tx.to, data: tx.data, value: BigInt(tx.value), gas: BigInt(tx.estimatedGas) }) });
      await page.waitForTimeout(700);
      shown.add((await page.locator("output.amount").textContent())!);
    }
    assert.ok(shown.size > 1, "the quote changes");
    assert.deepEqual(await page.evaluate(() => (window as any).spoken), []);
    await page.locator("#amount").fill("2000");
    await announced.getByText(/^2,000 MON buys/).waitFor();
    assert.equal((await page.evaluate(() => (window as any).spoken)).length, 1);
  });

  check("with forced colours everything that can be pressed has a border", async () => {
    const { page, context } = await visit(environment.browser, "about:blank");
    await page.emulateMedia({ forcedColors: "active" });
    await page.goto(`${environment.dev.page}/?in=MON&out=USDC&amount=2000000`);
    await quoted(page);
    await page.locator(".flow .ribbon").first().waitFor();
    const borderless = await page.evaluate(() =>
      [...document.querySelectorAll(".action, .wallet, .token, .flip, .icon, .side")].filter((part) => parseFloat(getComputedStyle(part).borderTopWidth) < 1).map((part) => part.className),
    );
    assert.deepEqual(borderless, []);
    const fills = await page.evaluate(() => [".ribbon", ".node"].map((part) => getComputedStyle(document.querySelector(`.flow ${part}`)!).fill));
    assert.equal(fills[0], fills[1], "ribbons have the reader's colour, not that of their kind");
    await page.screenshot({ path: `${screenshots}/forced-colors.png`, fullPage: true });
    await context.close();
  });

  check("on a phone targets are 44 px, and dialogs are at the bottom", async () => {
    const { page } = await environment.open("/?in=MON&out=USDC&amount=2000000", { width: 360, height: 740 });
    await quoted(page);
    await page.locator(".flow .hop").first().waitFor();
    const tooSmall = (await smallTargets(page)).map((target) => `swap: ${target}`);
    for (const [name, button] of [["picker", "Receive"], ["settings", "Settings"]] as const) {
      await page.getByRole("button", { name: button }).click();
      await page.waitForTimeout(300);
      tooSmall.push(...(await smallTargets(page)).map((target) => `${name}: ${target}`));
      const box = (await page.getByRole("dialog").boundingBox())!;
      assert.ok(Math.abs(box.x) < 1 && Math.abs(box.width - 360) < 1 && Math.abs(box.y + box.height - 740) < 1, `${name} at ${JSON.stringify(box)}`);
      await page.screenshot({ path: `${screenshots}/phone-${name}.png` });
      await page.keyboard.press("Escape");
    }
    for (const path of ["/market", "/docs"]) {
      await page.goto(environment.dev.page + path);
      await page.locator("tbody tr").first().waitFor();
      tooSmall.push(...(await smallTargets(page)).map((target) => `${path}: ${target}`));
    }
    assert.deepEqual(tooSmall, []);
  });

  check("numbers are in the format of the user's locale", async () => {
    const context = await environment.browser.newContext({ locale: "de-DE" });
    const page = await context.newPage();
    await page.goto(`${environment.dev.page}/?in=MON&out=USDC&amount=2000000`);
    await quoted(page);
    await page.locator(".summary dd", { hasText: /\d,\d\d\s%/ }).first().waitFor();
    await page.locator(".figure", { hasText: /limit \d+\.\d{3}/ }).first().waitFor();
    assert.match((await page.locator("output.amount").textContent())!, /^\d{1,3}(\.\d{3})+,\d+$/);
    await page.goto(`${environment.dev.page}/market`);
    await page.locator("td", { hasText: /\d,\d+\s(Mio\.\s)?\$/ }).first().waitFor();
    await context.close();
  });
}
