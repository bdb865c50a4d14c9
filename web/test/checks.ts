// One world for all tests: braid dev and a browser.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { braid, launch, visit, Wallet, type Options, type Service, type Visit } from "./world";

export interface World {
  browser: Browser;
  dev: Service;
  open(path: string, options?: Options): Promise<Visit>;
  wallet(): Wallet;
}

export const world = {} as World;
const open: Visit[] = [];

before(async () => {
  world.dev = await braid("dev", "--addr", "127.0.0.1:0", "--rpc-addr", "127.0.0.1:0");
  world.browser = await launch();
  world.wallet = () => new Wallet(world.dev.rpc);
  world.open = async (path, options) => {
    const visited = await visit(world.browser, world.dev.page + path, options);
    open.push(visited);
    return visited;
  };
});

after(async () => {
  await world.browser?.close();
  await world.dev?.stop();
});

/** A test that leaves no page behind, and no complaint in the console. */
export function check(name: string, run: () => Promise<void>, tolerated = /$^/): void {
  test(name, async () => {
    try {
      await run();
      for (const { complaints } of open) assert.deepEqual(complaints.filter((text) => !tolerated.test(text)), [], "the console complains");
    } finally {
      for (const { context } of open.splice(0)) await context.close();
    }
  });
}

export const received = (page: Page) => page.locator("output.amount");

/** Waits until a quote stands on the page. */
export async function quoted(page: Page): Promise<string> {
  await page.waitForFunction(() => /\d[1-9]|[1-9]/.test(document.querySelector("output.amount")?.textContent ?? ""));
  return (await received(page).textContent())!;
}

/** Whether somebody looks, as the page is told it. */
export const show = (page: Page, visible: boolean) =>
  page.evaluate(`Object.defineProperty(document, "hidden", { configurable: true, value: ${!visible} }), void document.dispatchEvent(new Event("visibilitychange"))`);
