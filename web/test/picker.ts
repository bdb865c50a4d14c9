import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import { check, quoted, type Environment } from "./checks";
import { ACTION, choose, connect } from "./swaps";
import { screenshots } from "./harness";

const USDC = "0x754704Bc059F8C67012fEd69BC8A327a5aafb603";

/** Changes one token of the list to an unverified one with another symbol and name. */
async function renameToken(context: BrowserContext, address: string, symbol: string, name = "Some token"): Promise<void> {
  await context.route(/\/api\/v1\/tokens/, async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    for (const token of body.tokens) if (token.address === address) Object.assign(token, { symbol, name, isVerified: false });
    await route.fulfill({ response, json: body });
  });
}

const rows = (page: Page) => page.getByRole("grid").getByRole("row");

export function picker(environment: Environment): void {
  const WBTC = "0x0555E30da8f98308EdB960aa94C0Db47230d2B9c";

  check("tokens that look like verified ones are warned about, from a link and in the picker", async () => {
    for (const symbol of ["USDC", "USD\u0421", "u\u200bsdc", "USDC.", "ＵＳＤＣ"]) {
      const { page, context } = await environment.open("/docs");
      await renameToken(context, WBTC, symbol);
      await page.goto(`${environment.dev.page}/?in=MON&out=${WBTC}&amount=10`);
      await quoted(page);
      await page.locator(".notes .note.bad", { hasText: `is not USDC (${USDC})` }).waitFor();
      await page.locator(".notes .note", { hasText: WBTC }).waitFor();
      if (symbol === "USDC") {
        await connect(page, "Local account");
        await page.locator(ACTION, { hasText: "Swap a look-alike of USDC" }).waitFor();
      }
      if (symbol === "USDC") await page.screenshot({ path: `${screenshots}/lookalike-light.png` });
      await page.getByRole("button", { name: "Receive" }).click();
      await page.getByRole("combobox").fill(WBTC);
      await rows(page).first().locator(".main").click();
      const card = page.getByRole("dialog", { name: "Before you use this token" });
      await card.getByText(`is not USDC (${USDC})`).waitFor();
      await card.getByText(WBTC, { exact: true }).waitFor();
      await card.locator("dl > div", { hasText: "Liquidity" }).getByText(/\$/).waitFor();
      if (symbol === "USDC") await page.screenshot({ path: `${screenshots}/risk-light.png` });
      await card.getByRole("button", { name: "Use this token" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await context.close();
    }
  });

  check("an unverified token is warned about once in the picker and always on the form", async () => {
    const { page, context } = await environment.open("/docs");
    await renameToken(context, WBTC, "CAT");
    await page.goto(`${environment.dev.page}/`);
    await quoted(page);
    for (const first of [true, false]) {
      await page.getByRole("button", { name: "Receive" }).click();
      await page.getByRole("combobox").fill("CAT");
      await page.getByRole("combobox").press("Enter");
      if (first) await page.getByRole("dialog", { name: "Before you use this token" }).getByRole("button", { name: "Use this token" }).click();
      await page.getByRole("button", { name: "Receive: CAT" }).waitFor();
      await page.locator(".notes .note", { hasText: "CAT is not verified" }).waitFor();
      await choose(page, "Receive", "WETH");
    }
  });

  check("a link with an unknown token is explained", async () => {
    const unknown = "0x00000000000000000000000000000000DeaDBeef";
    for (const [link, message] of [
      [`/?in=MON&out=${unknown}&amount=10`, `${unknown} is not a token of this market. The link names it to receive`],
      [`/?in=${unknown}&out=USDC&amount=10`, `${unknown} is not a token of this market. The link names it to pay with`],
      ["/?in=MON&out=NOPE&amount=10", "NOPE is not a token of this market"],
      ["/?in=USDC&out=USDC&amount=10", "the same token"],
    ] as const) {
      const { page } = await environment.open(link);
      await page.locator(".notes .note", { hasText: message }).waitFor();
      assert.doesNotMatch(await page.locator("output.amount").innerText(), /[1-9]/, "something else is quoted");
      if (message.includes("receive")) await page.screenshot({ path: `${screenshots}/unknown-token-light.png` });
      await choose(page, message.includes("pay with") ? "Pay with" : "Receive", "WETH");
      await page.locator(".notes .note", { hasText: message }).waitFor({ state: "detached" });
    }
  });

  check("a token that is not in the list is found by its address, in a link and in the picker", async () => {
    const { page, context } = await environment.open("/docs");
    await context.route(/\/api\/v1\/tokens\?limit=500/, async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      body.tokens = body.tokens.filter((token: { address: string }) => token.address !== WBTC);
      await route.fulfill({ response, json: body });
    });
    await page.goto(`${environment.dev.page}/?in=MON&out=${WBTC.toLowerCase()}&amount=10`);
    await page.getByRole("button", { name: "Receive: WBTC" }).waitFor();
    await quoted(page);
    await page.goto(`${environment.dev.page}/`);
    await quoted(page);
    await page.getByRole("button", { name: "Receive" }).click();
    await page.getByRole("combobox").fill(WBTC);
    await rows(page).getByText("WBTC").first().waitFor();
    await page.getByRole("combobox").press("Enter");
    await page.getByRole("button", { name: "Receive: WBTC" }).waitFor();
    await page.getByRole("button", { name: "Receive" }).click();
    await page.getByRole("combobox").fill("0x00000000000000000000000000000000DeaDBeef");
    await page.getByText("is not a token of this market").waitFor();
  });

  check("recent, favourite and popular tokens are listed, balances in dollars", async () => {
    const { page } = await environment.open("/");
    await quoted(page);
    await page.getByRole("button", { name: "Use the local account" }).click();
    await choose(page, "Receive", "WBTC");
    await page.getByRole("button", { name: "Receive" }).click();
    await page.getByRole("combobox").fill("shMON");
    await page.getByRole("button", { name: "Favourite: shMON" }).click();
    await page.getByRole("combobox").fill("");
    const dialog = page.getByRole("dialog");
    const first = dialog.getByRole("rowgroup", { name: "Favourites" }).getByRole("row");
    assert.match(await first.innerText(), /shMON/);
    await dialog.getByRole("rowgroup", { name: "Yours" }).getByText(/^\$[\d.,]+M?$/).first().waitFor();
    await page.screenshot({ path: `${screenshots}/picker-full-light.png` });
    await dialog.getByRole("group", { name: "Popular tokens" }).getByRole("button", { name: "USDC" }).click();
    await page.getByRole("button", { name: "Receive: USDC" }).waitFor();

    await page.reload();
    await quoted(page);
    assert.deepEqual(await page.evaluate(() => JSON.parse(localStorage.getItem("recent")!).length), 2);
    await page.getByRole("button", { name: "Receive" }).click();
    assert.match(await dialog.getByRole("rowgroup", { name: "Favourites" }).innerText(), /shMON/);
  });
}
