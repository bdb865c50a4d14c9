import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { parseUnits } from "viem";
import { check, quoted, type Environment } from "./checks";
import { ACTION, connect, swap } from "./swaps";
import { screenshots, Wallet } from "./harness";

const note = (page: Page) => page.locator("#amount-note");
const field = (page: Page) => page.locator("#amount");

/** Empties the field with keys, as users do, and types or pastes a text. */
async function rewrite(page: Page, text: string, how: "type" | "paste" = "paste"): Promise<void> {
  await field(page).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Backspace");
  assert.equal(await field(page).inputValue(), "");
  if (how === "type") await page.keyboard.type(text);
  else await page.keyboard.insertText(text);
}

/** The stream request with that amount, in raw units. */
const requestOf = (page: Page, raw: string) => page.waitForRequest((request) => request.url().includes("/stream") && new URL(request.url()).searchParams.get("amount") === raw);

export function amounts(environment: Environment): void {
  check("an emptied amount field accepts text again", async () => {
    const { page } = await environment.open("/?in=USDC&out=MON&amount=10");
    await quoted(page);
    await rewrite(page, "");
    await page.waitForTimeout(100); // the empty field is rendered
    const requested = requestOf(page, "25500000");
    await page.keyboard.type("25.5");
    assert.equal(await field(page).inputValue(), "25.5");
    await requested;
    await quoted(page);
  });

  check("unambiguous amounts are parsed, and grouped while the field is not edited", async () => {
    const { page } = await environment.open("/?in=USDC&out=MON&amount=10");
    await quoted(page);
    for (const [text, shown, raw] of [
      ["1,000.50", "1 000.5", "1000500000"],
      ["1.000,75", "1 000.75", "1000750000"],
      [".5", "0.5", "500000"],
      [" 5 ", "5", "5000000"],
      ["1 001", "1 001", "1001000000"],
      ["1'002.5", "1 002.5", "1002500000"],
      ["1e3", "1 000", "1000000000"],
      ["١٢", "12", "12000000"],
    ] as const) {
      const requested = requestOf(page, raw);
      await rewrite(page, text);
      await requested;
      await page.locator("h1").click();
      assert.equal((await field(page).inputValue()).replaceAll("\u202f", " "), shown, text);
    }
    // Focused again, the field shows what was typed.
    await field(page).focus();
    assert.equal(await field(page).inputValue(), "١٢");
  });

  check("typing is never interrupted, even where the text is ambiguous on the way", async () => {
    const { page } = await environment.open("/?in=MON&out=USDC&amount=10");
    await quoted(page);
    const requested = requestOf(page, String(parseUnits("1.0005", 18)));
    await rewrite(page, "1.0005", "type");
    assert.equal(await field(page).inputValue(), "1.0005");
    await requested;
    assert.equal(await note(page).innerText(), "");
  });

  check("the limit that an amount exceeds is named below the field", async () => {
    const { page } = await environment.open("/?in=USDC&out=MON&amount=10");
    await quoted(page);
    for (const [text, message] of [
      ["0.1234567", "USDC has 6 decimals."],
      ["9".repeat(90), "That is more than a token can hold."],
      ["1".repeat(300), "That is longer than any amount: 300 characters."],
      ["-5", "An amount is above zero."],
      ["ten", "Write the amount in digits, such as 1000.5."],
      ["1.2.3", "The digits are not grouped by three."],
    ] as const) {
      await rewrite(page, text);
      await note(page).getByText(message).waitFor();
      assert.equal(await page.locator(ACTION).isDisabled(), true);
      assert.equal(await field(page).getAttribute("aria-invalid"), "true");
    }
    await page.screenshot({ path: `${screenshots}/amount-wrong-light.png` });
  });

  check("an ambiguous separator is resolved by the user", async () => {
    const { page } = await environment.open("/?in=USDC&out=MON&amount=10");
    await quoted(page);
    for (const text of ["1,000", "1.000"]) {
      await rewrite(page, text);
      await note(page).getByText("two ways").waitFor();
      assert.equal(await page.locator(ACTION).innerText(), "Which amount?");
      await note(page).getByRole("button", { name: "1000 USDC" }).waitFor();
      await page.screenshot({ path: `${screenshots}/amount-either-light.png` });
      const requested = requestOf(page, "1000000");
      await note(page).getByRole("button", { name: "1 USDC", exact: true }).click();
      await requested;
    }
    await rewrite(page, "12.345");
    const requested = requestOf(page, "12345000");
    await note(page).getByRole("button", { name: "12.345 USDC" }).click();
    await requested;
    assert.equal(await field(page).inputValue(), "12.345");
  });

  check("dollars are converted only on request", async () => {
    const { page } = await environment.open("/?in=MON&out=USDC&amount=1000");
    await quoted(page);
    await rewrite(page, "$100");
    const offer = note(page).getByRole("button", { name: /^≈ 3,3\d\d(\.\d+)? MON$/ });
    await offer.waitFor();
    assert.equal(await page.locator(ACTION).isDisabled(), true);
    await page.screenshot({ path: `${screenshots}/amount-dollars-light.png` });
    await offer.click();
    await quoted(page);
    const value = await page.locator(".shares .usd").innerText();
    assert.ok(Math.abs(Number(value.replace(/[$,]/g, "")) - 100) < 1, value);
  });

  check("Max on MON swaps at the first click and leaves the reserve", async () => {
    // An account of its own, because its whole balance is spent.
    const wallet = new Wallet(environment.dev.rpc, "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d");
    const funder = environment.wallet().client();
    const hash = await funder.sendTransaction({ to: wallet.account.address, value: parseUnits("500", 18) });
    await funder.waitForTransactionReceipt({ hash });
    const { page } = await environment.open("/?in=MON&out=USDC&amount=1", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await page.getByRole("button", { name: "Max" }).click();
    await page.waitForFunction(() => Number((document.querySelector("#amount") as HTMLInputElement).value) > 480);
    await page.locator(ACTION, { hasText: /^Swap$/ }).waitFor();
    assert.equal(await page.getByText("The 10 MON reserve.").count(), 0);
    await swap(page);
    const left = await funder.getBalance({ address: wallet.account.address });
    assert.ok(left >= parseUnits("10", 18) && left < parseUnits("11", 18), `${left} left`);

    // Below the reserve, Max leaves only the gas cost, and a note says so.
    await page.getByRole("button", { name: "Done" }).click();
    await page.waitForFunction(() => /Balance 10\./.test(document.querySelector(".held")?.textContent ?? ""));
    const small = await funder.sendTransaction({ to: wallet.account.address, value: 1n });
    await funder.waitForTransactionReceipt({ hash: small });
    const client = wallet.client();
    const returned = await client.sendTransaction({ to: funder.account.address, value: parseUnits("4", 18) });
    await funder.waitForTransactionReceipt({ hash: returned });
    await page.waitForFunction(() => /Balance 6\./.test(document.querySelector(".held")?.textContent ?? ""));
    await page.getByRole("button", { name: "Max" }).click();
    await page.getByText("The 10 MON reserve.").waitFor();
    await page.locator(ACTION, { hasText: /^Swap$/ }).waitFor();
    await page.screenshot({ path: `${screenshots}/reserve-light.png` });
  });

  check("shares of the balance are entered by one click", async () => {
    const { page } = await environment.open("/?in=USDC&out=MON&amount=1");
    await quoted(page);
    await page.locator(ACTION, { hasText: "Use the local account" }).click();
    const client = environment.wallet().client();
    const { balance } = await holding(environment, client.account.address);
    for (const [name, percent] of [["25%", 25n], ["50%", 50n], ["75%", 75n]] as const) {
      await page.getByRole("button", { name }).click();
      const typed = parseUnits((await field(page).inputValue()).replaceAll("\u202f", ""), 6);
      const exact = (balance * percent) / 100n;
      assert.ok(typed <= exact && exact - typed < exact / 100_000n + 1n, `${typed} is not ${percent}% of ${balance}`);
    }
    await page.getByRole("button", { name: "Max" }).click();
    assert.equal(parseUnits((await field(page).inputValue()).replaceAll("\u202f", ""), 6), balance);
  });
}

const USDC = "0x754704Bc059F8C67012fEd69BC8A327a5aafb603";
const holding = async (environment: Environment, owner: `0x${string}`) => ({
  balance: BigInt((await environment.wallet().client().call({ to: USDC, data: `0x70a08231${owner.slice(2).padStart(64, "0")}` })).data!),
});
