import assert from "node:assert/strict";
import { decodeFunctionData, parseAbi } from "viem";
import { check, quoted, type Environment } from "./checks";
import { ACTION, connect, swap } from "./swaps";
import { screenshots } from "./harness";

const abi = parseAbi([
  "function swap(address tokenIn, uint256 amountIn, address tokenOut, uint256 minOut, address recipient, uint256 deadline, address executor, bytes route) payable returns (uint256 amountOut)",
]);

export function confirmation(environment: Environment): void {
  check("a recipient other than the account is shown on the form, the button, the confirmation and the receipt", async () => {
    const wallet = environment.wallet();
    const to = "0x00000000000000000000000000000000000b0b02";
    const { page } = await environment.open("/?in=MON&out=USDC&amount=7", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Recipient's address").fill(to);
    await page.getByRole("button", { name: "Close" }).click();
    await page.locator(".form .recipient", { hasText: to }).waitFor();
    const action = page.locator(ACTION, { hasText: "Swap to 0x0000…0b02" });
    await page.screenshot({ path: `${screenshots}/recipient-light.png` });
    await action.click();
    const dialog = page.getByRole("dialog", { name: "Confirm the swap" });
    await dialog.locator(".note", { hasText: to }).waitFor();
    await dialog.locator(".receipt > div", { hasText: "Recipient" }).getByText(to).waitFor();
    await page.screenshot({ path: `${screenshots}/confirm-recipient-light.png` });
    await dialog.getByRole("button", { name: "Confirm swap to 0x0000…0b02" }).click();
    await page.getByRole("dialog", { name: "Swapped" }).locator(".receipt > div", { hasText: "Recipient" }).getByText(to).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Pay my own account" }).click();
    await page.locator(ACTION, { hasText: /^Swap$/ }).waitFor();
  });

  check("the form shows slippage, network cost and the net value received", async () => {
    const { page } = await environment.open("/?in=MON&out=USDC&amount=1000");
    await quoted(page);
    const line = (name: string) => page.locator(".summary > div", { hasText: name }).locator("dd");
    assert.equal(await line("Slippage").innerText(), "0.50%");
    await page.waitForFunction(() => /\$\d/.test([...document.querySelectorAll(".summary > div")].find((row) => row.textContent!.includes("Network cost"))?.textContent ?? ""));
    const dollars = async (where: string) => Number(/\$([\d.,]+)/.exec(where)![1]!.replaceAll(",", ""));
    const paid = await dollars(await page.locator(".shares .usd").innerText());
    const got = await dollars(await page.locator(".side").nth(1).locator(".usd").innerText());
    const cost = (parseFloat(await line("Network cost").innerText()) * paid) / 1000; // in MON
    assert.ok(cost > 0 && Math.abs(got - cost - (await dollars(await line("Net received").innerText()))) < 0.02, "net is not what is received less the cost");
  });

  check("the confirmation shows the calldata that is signed, and nothing is signed before it", async () => {
    const wallet = environment.wallet();
    const { page } = await environment.open("/?in=MON&out=USDC&amount=11", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await page.locator(ACTION, { hasText: /^Swap$/ }).click();
    const dialog = page.getByRole("dialog", { name: "Confirm the swap" });
    await dialog.getByRole("button", { name: "Confirm swap" }).waitFor();
    const minimum = await dialog.locator(".receipt > div", { hasText: "At least" }).locator("dd").innerText();
    await dialog.getByText("What you sign").click();
    await dialog.getByText(`receives at least ${minimum}`).waitFor();
    await page.screenshot({ path: `${screenshots}/confirm-light.png` });
    assert.equal(wallet.sent.length, 0);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(wallet.sent.length, 0);
    await page.locator(ACTION, { hasText: /^Swap$/ }).click();
    const bytes = dialog.locator(".bytes code");
    await dialog.getByText("What you sign").click();
    await bytes.waitFor({ state: "attached" });
    const shown = await bytes.textContent();
    await dialog.getByRole("button", { name: "Confirm swap" }).click();
    await page.getByRole("dialog", { name: "Swapped" }).waitFor();
    assert.equal(wallet.sent[0]!.data, shown);
    const { args } = decodeFunctionData({ abi, data: wallet.sent[0]!.data });
    assert.equal(minimum, `${Number(args[3]) / 1e6} USDC`);
  });

  check("a confirmation whose price has moved says so and offers the new price", async () => {
    const wallet = environment.wallet();
    const { page } = await environment.open("/?in=MON&out=EURm&amount=100", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await page.locator(ACTION, { hasText: /^Swap$/ }).click();
    const dialog = page.getByRole("dialog", { name: "Confirm the swap" });
    await dialog.getByRole("button", { name: "Confirm swap" }).waitFor();
    // Another account buys so much that the minimum shown cannot be reached.
    const [MON, EURm] = ["0x0000000000000000000000000000000000000000", "0x4D502d735B4C574B487Ed641ae87cEaE884731C7"];
    const pair = { tokenIn: MON, tokenOut: EURm };
    const { points } = await (await fetch(`${environment.dev.page}/api/v1/depth?${new URLSearchParams(pair)}`)).json();
    const { amountIn } = points.find(({ priceImpactBps }: { priceImpactBps: number }) => priceImpactBps > 500);
    const client = wallet.client();
    const { tx } = await (await fetch(`${environment.dev.page}/api/v1/swap?${new URLSearchParams({ ...pair, amount: amountIn, recipient: client.account.address })}`)).json();
    await client.waitForTransactionReceipt({ hash: await client.sendTransaction({ to: tx.to, data: tx.data, value: BigInt(tx.value), gas: BigInt(tx.estimatedGas) }) });
    await dialog.getByText("The price moved").waitFor();
    assert.equal(await dialog.getByRole("button", { name: /^Confirm swap/ }).count(), 0);
    await page.screenshot({ path: `${screenshots}/confirm-moved-light.png` });
    await dialog.getByRole("button", { name: /^Use the new price/ }).click();
    await dialog.getByRole("button", { name: "Confirm swap" }).click();
    await page.getByRole("dialog", { name: "Swapped" }).waitFor();
  });

  check("when a dialog closes, the element focused before is focused again", async () => {
    const { page } = await environment.open("/?in=MON&out=USDC&amount=10");
    await quoted(page);
    await page.locator(ACTION, { hasText: "Use the local account" }).click();
    const focusReturnsTo = async (name: string | RegExp) => {
      await page.getByRole("dialog").waitFor({ state: "detached" });
      const focused = await page.evaluate(() => document.activeElement?.getAttribute("aria-label") || document.activeElement?.textContent || "");
      assert.match(focused, typeof name === "string" ? new RegExp(`^${name}`) : name);
    };
    for (const name of ["Settings", "Pay with", "Transactions", "Swap"]) {
      const button = name === "Swap" ? page.locator(ACTION, { hasText: /^Swap$/ }) : page.getByRole("button", { name }).first();
      await button.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await focusReturnsTo(name);
    }
    await swap(page);
    await page.keyboard.press("Escape");
    await focusReturnsTo("Swap");
  });
}
