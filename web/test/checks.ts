// The environment of all browser tests: braid dev and a browser.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { braid, launch, visit, Wallet, type Options, type Service, type Visit } from "./harness";

export interface Environment {
  browser: Browser;
  dev: Service;
  open(path: string, options?: Options): Promise<Visit>;
  wallet(): Wallet;
}

export const environment = {} as Environment;
const visits: Visit[] = [];

before(async () => {
  environment.dev = await braid("dev", "--addr", "127.0.0.1:0", "--rpc-addr", "127.0.0.1:0");
  environment.browser = await launch();
  environment.wallet = () => new Wallet(environment.dev.rpc);
  environment.open = async (path, options) => {
    const opened = await visit(environment.browser, environment.dev.page + path, options);
    visits.push(opened);
    return opened;
  };
});

after(async () => {
  await environment.browser?.close();
  await environment.dev?.stop();
});

/** A test that closes its pages and fails if the console has errors other than the expected ones. */
export function check(name: string, run: () => Promise<void>, expectedErrors = /$^/): void {
  test(name, async () => {
    try {
      await run();
      for (const { consoleErrors } of visits) assert.deepEqual(consoleErrors.filter((text) => !expectedErrors.test(text)), [], "errors in the console");
    } finally {
      for (const { context } of visits.splice(0)) await context.close();
    }
  });
}

export const received = (page: Page) => page.locator("output.amount");

/** Waits until the page shows a quote. */
export async function quoted(page: Page): Promise<string> {
  await page.waitForFunction(() => /\d[1-9]|[1-9]/.test(document.querySelector("output.amount")?.textContent ?? ""));
  return (await received(page).textContent())!;
}

/** Makes the page visible or hidden, as the browser reports it to the page. */
export const setVisible = (page: Page, visible: boolean) =>
  page.evaluate(`Object.defineProperty(document, "hidden", { configurable: true, value: ${!visible} }), void document.dispatchEvent(new Event("visibilitychange"))`);
