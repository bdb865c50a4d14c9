import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { decodeFunctionData, erc20Abi, parseUnits, type Hex } from "viem";
import { check, quoted, type Environment } from "./checks";
import { screenshots, type Wallet } from "./harness";

export const ACTION = ".form .action";

export async function connect(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name }).click();
  await page.locator(".wallet.connected").waitFor();
}

/** Presses Swap and confirms. */
export async function confirm(page: Page, label = /^Swap( to .*)?$/): Promise<void> {
  await page.locator(ACTION, { hasText: label }).click();
  await page.getByRole("dialog", { name: "Confirm the swap" }).getByRole("button", { name: /^Confirm swap/ }).click();
}

/** Swaps and returns the lines of the receipt. */
export async function swap(page: Page): Promise<Map<string, string>> {
  await confirm(page);
  const dialog = page.getByRole("dialog", { name: /^(Not swapped|Swapped)$/ });
  await dialog.waitFor();
  assert.equal(await dialog.getAttribute("aria-label"), "Swapped", await dialog.innerText());
  const rows = await page.locator(".receipt > div").all();
  return new Map(await Promise.all(rows.map(async (row) => [await row.locator("dt").innerText(), await row.locator("dd").innerText()] as const)));
}

export async function choose(page: Page, side: "Pay with" | "Receive", symbol: string): Promise<void> {
  await page.getByRole("button", { name: side }).click();
  const search = page.getByRole("combobox");
  await search.fill(symbol);
  await page.getByRole("row", { name: symbol }).first().waitFor();
  await search.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

async function swapsAsQuoted(page: Page): Promise<void> {
  const receipt = await swap(page);
  assert.equal(receipt.get("Received"), receipt.get("Quoted"));
  assert.equal(receipt.get("Difference"), "none, to the wei");
}

const balance = (wallet: Wallet, token: Hex) =>
  wallet.client().readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [wallet.account.address] });

const USDC: Hex = "0x754704Bc059F8C67012fEd69BC8A327a5aafb603";

export function swaps(environment: Environment): void {
  check("a user without a wallet swaps in three clicks", async () => {
    const { page } = await environment.open("/");
    await quoted(page);
    await page.screenshot({ path: `${screenshots}/swap-light.png`, fullPage: true });
    await page.locator(ACTION, { hasText: "Use the local account" }).click();
    await swapsAsQuoted(page);
    await page.screenshot({ path: `${screenshots}/receipt-light.png` });
  });

  check("a wallet connects, approves the exact amount, swaps and shows the receipt", async () => {
    const wallet = environment.wallet();
    const { page } = await environment.open("/?in=USDC&out=WETH&amount=250.5", { wallet });
    await quoted(page);
    await page.locator(ACTION, { hasText: "Connect a wallet" }).click();
    await page.screenshot({ path: `${screenshots}/connect-light.png` });
    await page.getByRole("button", { name: "Test wallet" }).click();
    const before = await balance(wallet, USDC);
    await swapsAsQuoted(page);
    assert.equal(before - (await balance(wallet, USDC)), parseUnits("250.5", 6));

    const [approve, sent] = wallet.sent;
    assert.equal(wallet.sent.length, 2);
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: approve!.data });
    assert.deepEqual([functionName, args?.[1]], ["approve", parseUnits("250.5", 6)]);
    assert.equal(args?.[0], sent!.to);
    assert.ok(Number(sent!.gas) > 50_000, "the swap names its gas limit");

    // The approval was for this swap only: the next one needs another.
    await page.getByRole("button", { name: "Done" }).click();
    await swapsAsQuoted(page);
    assert.equal(wallet.sent.length, 4);
  });

  check("a wallet that supports batches gets both calls in one request", async () => {
    const wallet = environment.wallet();
    wallet.supportsBatches = true;
    const { page } = await environment.open("/?in=WETH&out=USDC&amount=0.01", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await swapsAsQuoted(page);
    assert.ok(wallet.requests.includes("wallet_sendCalls") && !wallet.requests.includes("eth_sendTransaction"));
  });

  check("the native currency is sent as value, and received unwrapped", async () => {
    const wallet = environment.wallet();
    const { page } = await environment.open("/?in=MON&out=USDC&amount=12", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await swapsAsQuoted(page);
    assert.equal(wallet.sent.length, 1);
    assert.equal(BigInt(wallet.sent[0]!.value), parseUnits("12", 18));
    await page.getByRole("button", { name: "Done" }).click();

    await page.getByRole("button", { name: "Turn the swap around" }).click();
    await page.getByRole("button", { name: "Pay with: USDC" }).waitFor();
    await page.locator("#amount").fill("3");
    await quoted(page);
    await swapsAsQuoted(page);
    assert.equal(wallet.sent.length, 3);
  });

  check("the user chooses the recipient and the sources", async () => {
    const wallet = environment.wallet();
    const to = "0x00000000000000000000000000000000000b0b01";
    const { page } = await environment.open("/?in=MON&out=USDC&amount=5000", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Recipient's address").fill(to);
    await page.getByRole("button", { name: "1%", exact: true }).click();
    await page.getByLabel("UniswapV3").uncheck();
    await page.screenshot({ path: `${screenshots}/settings-light.png` });
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByText("Step by step").click();
    await page.waitForFunction(() => {
      const rows = [...document.querySelectorAll(".see tbody tr")].map((row) => row.textContent ?? "");
      return rows.length > 0 && !rows.some((row) => row.includes("UniswapV3"));
    });
    await page.locator(".pale").waitFor({ state: "detached" });
    const client = wallet.client();
    const held = () => client.readContract({ address: USDC, abi: erc20Abi, functionName: "balanceOf", args: [to] });
    const before = await held();
    const receipt = await swap(page);
    assert.equal((await held()) - before, parseUnits(receipt.get("Received")!.split(" ")[0]!, 6));
  });

  check("a split route is shown as a diagram and as a table", async () => {
    const { page } = await environment.open("/?in=MON&out=USDC&amount=2000000");
    await quoted(page);
    await page.locator(".flow .ribbon").first().waitFor();
    const ribbons = await page.locator(".flow .ribbon").count();
    assert.ok(ribbons > 2, `${ribbons} bands`);
    await page.getByText("Step by step").click();
    assert.equal(await page.locator(".see tbody tr").count(), await page.locator(".flow .ribbon").count());
    await page.locator(".curve .stroke").waitFor();
    await page.screenshot({ path: `${screenshots}/split-light.png`, fullPage: true });
  });

  check("the transaction is explained before it is signed", async () => {
    const { page } = await environment.open("/?in=USDC&out=MON&amount=42");
    await quoted(page);
    await connect(page, "Local account");
    await page.getByText("What you sign").click();
    await page.getByText("at most 42 USDC").waitFor();
    await page.getByText(/receives at least [\d.]+ MON/).waitFor();
    await page.screenshot({ path: `${screenshots}/words-light.png`, fullPage: true });
  });

  check("tokens are found by symbol, by address and by keyboard", async () => {
    const { page } = await environment.open("/");
    await quoted(page);
    await page.getByRole("button", { name: "Receive" }).click();
    await page.screenshot({ path: `${screenshots}/picker-light.png` });
    await page.getByRole("combobox").fill("0xee8c0e9f1bffb4eb878d8f15f368a02a35481242");
    assert.equal(await page.getByRole("grid").getByRole("row").count(), 1);
    await page.getByRole("combobox").press("Enter");
    await page.getByRole("button", { name: "Receive: WETH" }).waitFor();
    await choose(page, "Receive", "WBTC");
    await page.getByRole("button", { name: "Receive: WBTC" }).waitFor();
    await quoted(page);
    // Choosing the token of the other side exchanges the two.
    await choose(page, "Pay with", "WBTC");
    await page.getByRole("button", { name: "Receive: MON" }).waitFor();
    await quoted(page);
  });
}
