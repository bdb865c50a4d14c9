import assert from "node:assert/strict";
import { connect as dial, createServer, type AddressInfo, type Socket } from "node:net";
import type { Page } from "playwright-core";
import { check, quoted, setVisible, type Environment } from "./checks";
import { ACTION, connect } from "./swaps";
import { braid, screenshots, visit, type Service } from "./harness";

/** A TCP proxy whose open connections can be made to hang. */
async function proxy(to: string): Promise<{ url: string; hang(): void; close(): void }> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const server = dial(Number(new URL(to).port), "127.0.0.1");
    for (const [from, to] of [[client, server], [server, client]] as const) {
      open.add(from);
      from.on("data", (data) => open.has(from) && to.write(data));
      from.on("error", () => undefined);
      from.on("close", () => open.delete(from) && to.destroy());
    }
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const all = new Set<Socket>();
  server.on("connection", (socket) => all.add(socket));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hang: () => open.clear(),
    close: () => (server.close(), all.forEach((socket) => socket.destroy())),
  };
}

async function streams(service: Service): Promise<number> {
  const text = await (await fetch(`${service.admin}/metrics`)).text();
  return Number(/^braid_streams (\d+)/m.exec(text)![1]);
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await holds()); await new Promise((resolve) => setTimeout(resolve, 100))) {
    if (Date.now() > end) throw new Error(`timeout: ${what}`);
  }
}

const silenceNotice = (page: Page) => page.locator(".news", { hasText: /No news from the service for \d+ s/ });

export function connection(environment: Environment): void {
  check("a frozen service is reported within seconds, Swap is disabled, and both recover without a reload", async () => {
    const service = await braid("serve", "--local", "--drain", "0s", "--addr", "127.0.0.1:0", "--rpc", environment.dev.rpc);
    const { page, context } = await visit(environment.browser, `${service.page}/?in=MON&out=USDC&amount=10`, { wallet: environment.wallet() });
    try {
      await connect(page, "Test wallet");
      await page.locator(`${ACTION}:enabled`, { hasText: /^Swap$/ }).waitFor();
      await page.evaluate(() => ((window as any).stayed = true));
      service.signal("SIGSTOP");
      const frozen = Date.now();
      await silenceNotice(page).waitFor();
      console.log(`frozen: reported after ${Date.now() - frozen} ms`);
      await page.locator(`${ACTION}:disabled`, { hasText: "No connection to the service" }).waitFor();
      assert.notEqual(await page.locator(".see").evaluate((see) => getComputedStyle(see).filter), "none", "the figures are grey");
      await page.locator(".pulse", { hasText: "no news" }).waitFor();
      await page.screenshot({ path: `${screenshots}/stale-light.png` });
      await page.waitForTimeout(6000); // longer than the first attempt to open the stream again
      assert.ok(await silenceNotice(page).isVisible());
      service.signal("SIGCONT");
      await page.locator(`${ACTION}:enabled`, { hasText: /^Swap$/ }).waitFor();
      await silenceNotice(page).waitFor({ state: "hidden" });
      assert.ok(await page.evaluate(() => (window as any).stayed), "without a reload");
    } finally {
      await context.close();
      await service.stop();
    }
  });

  check("a connection that hangs is replaced by a new one", async () => {
    const hangingProxy = await proxy(environment.dev.page);
    const { page, context } = await visit(environment.browser, `${hangingProxy.url}/?in=MON&out=USDC&amount=10`);
    try {
      await quoted(page);
      hangingProxy.hang();
      await silenceNotice(page).waitFor();
      await silenceNotice(page).waitFor({ state: "hidden" });
      await page.locator(".pulse.live").waitFor();
    } finally {
      await context.close();
      hangingProxy.close();
    }
  });

  check("twelve tabs show quotes, whether all are visible or all but one hidden", async () => {
    const service = await braid("serve", "--local", "--drain", "0s", "--addr", "127.0.0.1:0", "--rpc", environment.dev.rpc);
    const { page: first, context } = await visit(environment.browser, `${service.page}/?in=MON&out=USDC&amount=1`);
    try {
      const tabs = [first];
      while (tabs.length < 12) {
        const tab = await context.newPage();
        tabs.push(tab);
        await tab.goto(`${service.page}/?in=MON&out=USDC&amount=${tabs.length}`); // visible, as windows side by side
      }
      for (const tab of tabs) await quoted(tab);
      assert.equal(await streams(service), 4, "streams while all are visible");
      const last = tabs.at(-1)!;
      await takesAmount(last, "120");

      for (const tab of tabs) await setVisible(tab, false);
      await until("hidden tabs close their streams", async () => (await streams(service)) === 0);
      for (const [i, tab] of tabs.entries()) {
        await tab.bringToFront();
        await setVisible(tab, true);
        await takesAmount(tab, String(200 + i));
        await until("the visible tab has a stream", async () => (await streams(service)) === 1);
        if (tab !== last) await setVisible(tab, false);
      }
    } finally {
      await context.close();
      await service.stop();
    }
  });

  check("the age of a quote is that of its block", async () => {
    const { page } = await environment.open("/?in=MON&out=USDC&amount=10");
    await quoted(page);
    const age = page.locator(".figure", { hasText: "Exact on block" }).locator("small");
    await page.waitForFunction(() => /^\d+ s old/.test([...document.querySelectorAll(".figure small")].at(-1)!.textContent ?? ""));
    assert.match((await age.textContent())!, /^[0-3] s old/);
  });

  check("while a stream reports blocks, readiness is not polled", async () => {
    const { page } = await environment.open("/docs");
    const requests: string[] = [];
    await page.goto(`${environment.dev.page}/?in=MON&out=USDC&amount=10`);
    await quoted(page);
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    const before = await page.locator(".pulse .number").textContent();
    await page.waitForFunction((before) => document.querySelector(".pulse .number")?.textContent !== before, before);
    await page.waitForTimeout(5000);
    assert.deepEqual(requests.filter((path) => path === "/readyz"), []);
  });
}

/** Enters another amount into the tab and waits for its quote. */
async function takesAmount(tab: Page, amount: string): Promise<void> {
  await tab.locator("#amount").fill(amount);
  await tab.waitForFunction((amount) => location.search.includes(`amount=${amount}`) && !document.querySelector(".see.pale"), amount);
  await quoted(tab);
}
