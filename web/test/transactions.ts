import assert from "node:assert/strict";
import { check, quoted, type Environment } from "./checks";
import { ACTION, confirm, connect } from "./swaps";
import { screenshots, type Wallet } from "./harness";

/** Makes the wallet find no receipt until the returned function is called. */
function delayReceipts(wallet: Wallet): () => void {
  const original = wallet.request.bind(wallet);
  let mined = false;
  wallet.request = async (method, params) => (method === "eth_getTransactionReceipt" && !mined ? null : original(method, params));
  return () => (mined = true);
}

/** Makes the wallet wait with signing until the returned function is called. */
function delaySignature(wallet: Wallet): () => void {
  const original = wallet.request.bind(wallet);
  let sign = () => {};
  const signed = new Promise<void>((resolve) => (sign = resolve));
  wallet.request = async (method, params) => {
    if (method === "eth_sendTransaction") await signed;
    return original(method, params);
  };
  return sign;
}

export function transactions(environment: Environment): void {
  check("a dialog closed during a swap loses nothing, and no second swap is possible", async () => {
    const wallet = environment.wallet();
    const release = delayReceipts(wallet);
    const { page } = await environment.open("/?in=MON&out=USDC&amount=21", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await confirm(page);
    await page.getByText("Waiting for the chain").waitFor();
    await page.waitForFunction(() => document.querySelector(".steps .now")?.textContent?.includes("Waiting for the chain"));
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Transactions: 1 pending" }).waitFor();
    await page.locator(ACTION, { hasText: "Swap in progress" }).waitFor();
    await page.screenshot({ path: `${screenshots}/pending-light.png` });
    assert.equal(wallet.sent.length, 1);
    release();
    const toast = page.locator(".toast", { hasText: "Swapped" });
    await toast.waitFor();
    await page.screenshot({ path: `${screenshots}/toast-light.png` });
    await toast.getByRole("button", { name: "Details" }).click();
    const detail = page.getByRole("dialog", { name: "Swapped" });
    await detail.locator(".receipt > div", { hasText: "Received" }).waitFor();
    assert.equal(await detail.getByRole("link", { name: "Explorer" }).count(), 0, "a local chain has no explorer");
    await detail.getByRole("button", { name: "Copy the transaction's hash" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(ACTION, { hasText: /^Swap$/ }).waitFor();

    await page.locator("#amount").fill("5");
    await page.getByRole("button", { name: "Transactions" }).click();
    await page.screenshot({ path: `${screenshots}/transactions-light.png` });
    await page.getByRole("dialog", { name: "Transactions" }).getByRole("button", { name: /^21 MON/ }).click();
    await page.getByRole("button", { name: "Swap again" }).click();
    assert.equal(await page.locator("#amount").inputValue(), "21");
  });

  check("a reload between sending and mining still shows the receipt", async () => {
    const wallet = environment.wallet();
    const release = delayReceipts(wallet);
    const { page } = await environment.open("/?in=MON&out=USDC&amount=22", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await confirm(page);
    await page.waitForFunction(() => document.querySelector(".steps .now")?.textContent?.includes("Waiting for the chain"));
    await page.reload();
    await page.getByRole("button", { name: "Transactions: 1 pending" }).waitFor();
    await page.locator(ACTION, { hasText: "Your last swap is pending" }).click();
    await page.getByText("It waits for the chain.").waitFor();
    await page.screenshot({ path: `${screenshots}/resumed-light.png` });
    release();
    const detail = page.getByRole("dialog", { name: "Swapped" });
    await detail.getByText("none, to the wei").waitFor();
    await page.locator(".toast", { hasText: "Swapped" }).waitFor();
    assert.equal(wallet.sent.length, 1);
  });

  check("a swap signed after the page was reloaded is found", async () => {
    const wallet = environment.wallet();
    const sign = delaySignature(wallet);
    const { page } = await environment.open("/?in=MON&out=USDC&amount=23", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await confirm(page);
    await page.getByText("Confirm the swap in the wallet").waitFor();
    await page.waitForFunction(() => localStorage.getItem("transactions")?.includes('"asked"'));
    await page.reload();
    await page.locator(ACTION, { hasText: "A swap waits in your wallet" }).click();
    await page.getByText("asked to sign this when the page was closed").waitFor();
    await page.screenshot({ path: `${screenshots}/in-wallet-light.png` });
    sign();
    await page.getByRole("dialog", { name: "Swapped" }).getByText("none, to the wei").waitFor();
  });

  check("an approval pending at a reload is not shown as a swap", async () => {
    const wallet = environment.wallet();
    const release = delayReceipts(wallet);
    const { page } = await environment.open("/?in=WBTC&out=MON&amount=0.0024", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await confirm(page);
    await page.waitForFunction(() => document.querySelector(".steps .now")?.textContent?.includes("Waiting for the approval"));
    await page.reload();
    await page.locator(ACTION, { hasText: "Your approval is pending" }).click();
    await page.getByText("Nothing is swapped yet").waitFor();
    await page.keyboard.press("Escape");
    release();
    await page.locator(".toast", { hasText: "Approved, not swapped yet" }).waitFor();
    assert.equal(wallet.sent.length, 1);
  });

  check("a transaction that is not found can be removed from the pending ones", async () => {
    const wallet = environment.wallet();
    delayReceipts(wallet);
    const { page } = await environment.open("/?in=MON&out=USDC&amount=25", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await confirm(page);
    await page.waitForFunction(() => document.querySelector(".steps .now")?.textContent?.includes("Waiting for the chain"));
    await page.reload();
    await page.locator(ACTION, { hasText: "Your last swap is pending" }).click();
    await page.getByRole("button", { name: "Stop following it" }).click();
    await page.locator(ACTION, { hasText: "Connect a wallet" }).waitFor();
  });

  check("invalid entries in storage, and those of another chain, are ignored", async () => {
    const wallet = environment.wallet();
    const { page } = await environment.open("/?in=MON&out=USDC&amount=26", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await confirm(page);
    await page.getByRole("dialog", { name: "Swapped" }).waitFor();
    const stored = await page.evaluate(() => localStorage.getItem("transactions")!);
    const [entry] = JSON.parse(stored);
    const unknown = { ...entry, id: "other", hash: `0x${"ab".repeat(32)}`, state: "sent" };
    const otherChain = { ...entry, id: "elsewhere", chain: "143", state: "sent" };
    for (const stored of ["{", "null", "7", '[null,1,"x",{}]', JSON.stringify([{ ...entry, amountIn: "x" }, { ...entry, tokenIn: null }, { ...entry, state: "sent", hash: "<b>" }]), JSON.stringify([unknown, otherChain])]) {
      await page.evaluate((text) => (localStorage.setItem("transactions", text), localStorage.setItem("recent", text), localStorage.setItem("favourites", text)), stored);
      await page.reload();
      await quoted(page);
      await connect(page, "Test wallet");
      await page.locator(ACTION, { hasText: /^Swap$/ }).waitFor();
      await page.getByRole("button", { name: "Transactions" }).click();
      await page.getByText("What you swap is listed here.").waitFor();
      await page.keyboard.press("Escape");
    }
    const many = Array.from({ length: 80 }, (_, i) => ({ ...entry, id: String(i) }));
    await page.evaluate((text) => localStorage.setItem("transactions", text), JSON.stringify(many));
    await page.reload();
    await connect(page, "Test wallet");
    await page.getByRole("button", { name: "Transactions" }).click();
    await page.locator(".activities li").nth(49).waitFor();
    assert.equal(await page.locator(".activities li").count(), 50);
    await page.evaluate((text) => localStorage.setItem("transactions", text), stored);
    await page.reload();
    await connect(page, "Test wallet");
    await page.getByRole("button", { name: "Transactions" }).click();
    await page.getByRole("dialog").getByRole("button", { name: /^26 MON/ }).waitFor();
  });
}
