import assert from "node:assert/strict";
import { createServer } from "node:net";
import { encodeFunctionData, erc20Abi } from "viem";
import { check, quoted, type Environment } from "./checks";
import { ACTION, confirm, connect, swap } from "./swaps";
import { braid, screenshots, visit } from "./harness";

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

export function failures(environment: Environment): void {
  check("no route because of excluded sources is explained, and a click allows them again", async () => {
    const { page } = await environment.open("/?in=MON&out=USDC&amount=10");
    await quoted(page);
    const ids = (await (await fetch(`${environment.dev.page}/api/v1/liquidity-sources`)).json()).sources.map((source: { id: string }) => source.id);
    await page.evaluate((all) => localStorage.setItem("excluded", JSON.stringify(all)), ids);
    await page.reload();
    await page.getByText("Only sources you excluded trade this pair").waitFor();
    await page.screenshot({ path: `${screenshots}/no-route-light.png` });
    await page.getByRole("button", { name: "Allow all sources" }).click();
    await quoted(page);
  });

  check("an amount beyond the market is explained, with one that works", async () => {
    const { page } = await environment.open("/?in=MON&out=USDC&amount=1000000000000000000000000");
    await page.getByText("More than the market holds").waitFor();
    await page.getByRole("button", { name: /^Use \d/ }).click();
    await quoted(page);
    await page.getByText(/High price impact/).waitFor();
  });

  check("after a rejected signature the swap can be repeated", async () => {
    const wallet = environment.wallet();
    wallet.rejects = true;
    const { page } = await environment.open("/?in=MON&out=USDC&amount=10", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await confirm(page);
    await page.getByText("You declined in the wallet").waitFor();
    await page.getByRole("button", { name: "Back" }).click();
    wallet.rejects = false;
    await confirm(page);
    await page.getByRole("dialog", { name: "Swapped", exact: true }).waitFor();
  });

  check("a wallet on another chain is switched, after adding a chain it does not know", async () => {
    const wallet = environment.wallet();
    wallet.chain = 1;
    wallet.knowsChain = false;
    const { page } = await environment.open("/?in=MON&out=USDC&amount=10", { wallet });
    await connect(page, "Test wallet");
    await page.locator(ACTION, { hasText: "Switch the wallet to Monad" }).click();
    await page.locator(ACTION, { hasText: /^Swap$/ }).waitFor();
    assert.ok(wallet.requests.includes("wallet_addEthereumChain"));
    assert.equal(wallet.chain, 143);
  });

  check("a wallet on the real chain 143 never signs for the local one", async () => {
    const wallet = environment.wallet();
    const original = wallet.request.bind(wallet);
    wallet.request = async (method, params) => (method === "eth_getBlockByNumber" ? { hash: `0x${"12".repeat(32)}` } : original(method, params));
    const { page } = await environment.open("/?in=MON&out=USDC&amount=10", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await page.locator(ACTION, { hasText: /^Swap$/ }).click();
    await page.getByText("another chain with the same ID").waitFor();
    assert.equal(wallet.sent.length, 0);
  });

  check("a wallet that changes its chain during a swap is not asked to sign again", async () => {
    const wallet = environment.wallet(); // it does not report the change
    const original = wallet.request.bind(wallet);
    wallet.request = async (method, params) => {
      const answer = await original(method, params);
      if (method === "eth_sendTransaction") wallet.chain = 1;
      return answer;
    };
    const { page } = await environment.open("/?in=USDC&out=MON&amount=10", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await confirm(page);
    await page.getByText("Your wallet moved to another chain").waitFor();
    assert.equal(wallet.sent.length, 1, "the approval alone");
    assert.equal(Number(wallet.sent[0]!.chainId), 143);
  });

  check("a transaction that differs from the order is never signed", async () => {
    const wallet = environment.wallet();
    const { page, context } = await environment.open("/?in=MON&out=USDC&amount=10", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await context.route(/\/api\/v1\/swap/, async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const attacker = "00000000000000000000000000000000deadbeef";
      body.tx.data = body.tx.data.replaceAll(wallet.account.address.slice(2).toLowerCase(), attacker);
      await route.fulfill({ response, json: body });
    });
    await page.locator(ACTION, { hasText: /^Swap$/ }).click();
    await page.getByText("The transaction is not the swap you asked for").waitFor();
    assert.equal(wallet.sent.length, 0);
  });

  check("no response can approve more than the swap takes", async () => {
    const wallet = environment.wallet();
    const { page, context } = await environment.open("/?in=USDC&out=MON&amount=10", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    const attacker = "0x00000000000000000000000000000000deadbeef";
    await context.route(/\/api\/v1\/swap/, async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [attacker, 2n ** 256n - 1n] });
      body.approval = { to: body.tokenIn, data, value: "0" };
      await route.fulfill({ response, json: body });
    });
    await confirm(page);
    await page.getByRole("dialog", { name: /^(Not swapped|Swapped)$/ }).waitFor();
    assert.ok(!wallet.sent.some(({ data }) => data.includes(attacker.slice(2))), "the thief is approved");
  });

  check("a batch is waited for though the wallet fails to answer at first", async () => {
    const wallet = environment.wallet();
    wallet.supportsBatches = true;
    const original = wallet.request.bind(wallet);
    let attempts = 0;
    wallet.request = async (method, params) => {
      if (method === "wallet_getCallsStatus" && attempts++ < 2) throw { code: -32603, message: "no connection" };
      return original(method, params);
    };
    const { page } = await environment.open("/?in=USDC&out=MON&amount=10", { wallet });
    await connect(page, "Test wallet");
    await quoted(page);
    await swap(page);
    assert.ok(attempts > 2);
  });

  check("quotes return after the service has restarted", async () => {
    const addr = `127.0.0.1:${await freePort()}`;
    let service = await braid("serve", "--local", "--drain", "0s", "--addr", addr, "--rpc", environment.dev.rpc);
    const { page, context } = await visit(environment.browser, `${service.page}/?in=MON&out=USDC&amount=10`);
    try {
      await quoted(page);
      assert.equal(await page.locator('meta[name="braid:local"]').getAttribute("content"), "", "serve offers no account");
      await service.stop();
      await page.getByText("The service does not answer").waitFor();
      await page.screenshot({ path: `${screenshots}/down-light.png` });
      service = await braid("serve", "--local", "--drain", "0s", "--addr", addr, "--rpc", environment.dev.rpc);
      await quoted(page);
    } finally {
      await context.close();
      await service.stop();
    }
  });

  check("symbols and names of tokens are shown as text, never as HTML", async () => {
    const { page, context } = await environment.open("/docs"); // any page of this origin, before the token list is requested
    const markup = `<img src=x onerror="document.title='owned'">`;
    await context.route(/\/api\/v1\/tokens/, async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      body.tokens[3] = { ...body.tokens[3], symbol: markup, name: markup, logoURI: "javascript:document.title='owned'" };
      await route.fulfill({ response, json: body });
    });
    await page.goto(`${environment.dev.page}/`);
    await quoted(page);
    await page.getByRole("button", { name: "Receive" }).click();
    await page.getByRole("combobox").fill("<img");
    await page.getByRole("grid").getByRole("row").first().locator(".main").click();
    await page.getByRole("button", { name: "Receive: <img" }).waitFor();
    assert.notEqual(await page.title(), "owned");
    assert.equal(await page.locator("img[src=x]").count(), 0);
  });
}
