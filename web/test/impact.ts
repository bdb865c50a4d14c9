import assert from "node:assert/strict";
import { check, quoted, type Environment } from "./checks";
import { ACTION, connect } from "./swaps";
import { screenshots } from "./harness";

export function impact(environment: Environment): void {
  check("a swap that the impact guard refuses is disabled, and a smaller amount is offered", async () => {
    const wallet = environment.wallet();
    const { page } = await environment.open("/?in=USDC&out=EURm&amount=1000000", { wallet });
    await connect(page, "Test wallet");
    await page.getByText(/High price impact/).waitFor();
    const action = page.locator(ACTION, { hasText: "Price impact too high" });
    await action.waitFor();
    assert.equal(await action.isDisabled(), true);
    const offer = page.getByRole("button", { name: /^Use [\d,.]+ USDC: 0\.\d\d% impact$/ });
    await offer.waitFor();
    await page.screenshot({ path: `${screenshots}/guard-light.png` });
    await offer.click();
    await page.locator(ACTION, { hasText: /^Swap$/ }).waitFor();
    await quoted(page);
    const shown = await page.locator(".summary > div", { hasText: "Price impact" }).locator("dd").innerText();
    assert.ok(parseFloat(shown) < 1, shown);
    assert.equal(wallet.sent.length, 0);
  }, /422/);

  check("a high impact below the guard's limit can be swapped after a warning", async () => {
    const wallet = environment.wallet();
    const { page } = await environment.open("/docs", { wallet });
    // The amount is a point of the depth curve, above the warning and below the guard.
    const EURm = "0x4D502d735B4C574B487Ed641ae87cEaE884731C7";
    const USDC = "0x754704Bc059F8C67012fEd69BC8A327a5aafb603";
    const { points } = await (await fetch(`${environment.dev.page}/api/v1/depth?tokenIn=${USDC}&tokenOut=${EURm}`)).json();
    const point = points.find(({ priceImpactBps }: { priceImpactBps: number }) => priceImpactBps > 1200);
    assert.ok(point.priceImpactBps < 4500);
    await page.goto(`${environment.dev.page}/?in=USDC&out=EURm&amount=${Number(point.amountIn) / 1e6}`);
    await connect(page, "Test wallet");
    await page.locator(ACTION, { hasText: "Swap anyway" }).click();
    const dialog = page.getByRole("dialog", { name: "Confirm the swap" });
    await dialog.getByText(/You lose [\d.]+% to price impact/).waitFor();
    await page.screenshot({ path: `${screenshots}/anyway-light.png` });
    await page.keyboard.press("Escape");
    assert.equal(wallet.sent.length, 0);
  });

  check("an impossible gain is warned about", async () => {
    const { page, context } = await environment.open("/docs");
    await context.route(/\/api\/v1\/stream/, async (route) => {
      const url = route.request().url().replace("/stream", "/quote");
      const quote = await (await fetch(url)).json();
      quote.amountOutUsd = String(Number(quote.amountInUsd) * 3);
      await route.fulfill({ contentType: "text/event-stream", body: `event: quote\ndata: ${JSON.stringify(quote)}\n\n` });
    });
    await page.goto(`${environment.dev.page}/?in=MON&out=USDC&amount=1000`);
    await page.getByText("Too good to be true.").waitFor();
    await page.screenshot({ path: `${screenshots}/gain-light.png` });
  });
}
