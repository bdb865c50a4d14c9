// Every state of the pages, captured at three widths in two themes into build/screens
// and checked by axe. A state is an element of the list below.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { violations } from "./axe";
import { check, quoted, setVisible, type Environment } from "./checks";
import { ACTION, confirm, connect } from "./swaps";
import { screenshots as folder, type Wallet } from "./harness";

interface State {
  name: string;
  path: string;
  /** Brings the loaded page into the state. */
  prepare(page: Page, wallet: Wallet): Promise<unknown>;
  /** Runs before the page is loaded. */
  before?(page: Page): Promise<unknown>;
  /** Keeps the local storage of the state before. */
  keepsStorage?: boolean;
}

const SWAP = "/?in=MON&out=USDC&amount=1000";
const WBTC = "0x0555E30da8f98308EdB960aa94C0Db47230d2B9c";
const api = /\/api\/|\/readyz/;

const dialog = (page: Page) => page.getByRole("dialog");
const loaded = async (page: Page) => (await quoted(page), await page.locator(".curve .stroke").waitFor());
const connected = async (page: Page) => (await loaded(page), await connect(page, "Test wallet"), await page.locator(ACTION, { hasText: /^Swap$/ }).waitFor());
const signWith = async (page: Page, wallet: Wallet, sign: () => Promise<never>) => {
  await connected(page);
  const original = wallet.request.bind(wallet);
  wallet.request = async (method, params) => (method === "eth_sendTransaction" ? sign() : original(method, params));
  await confirm(page);
  return () => (wallet.request = original);
};

const states: State[] = [
  { name: "empty-amount", path: "/?in=MON&out=USDC&amount=", prepare: (page) => page.locator(ACTION, { hasText: "Enter an amount" }).waitFor() },
  { name: "quote", path: SWAP, prepare: loaded },
  { name: "connected", path: SWAP, prepare: connected },
  { name: "split-route", path: "/?in=MON&out=USDC&amount=2000000", prepare: loaded },
  { name: "high-impact", path: "/?in=USDC&out=EURm&amount=1000000", prepare: (page) => page.getByText(/impact/i).first().waitFor().then(() => loaded(page)) },
  {
    name: "no-route",
    path: SWAP,
    prepare: async (page) => {
      await page.evaluate(async () => {
        const { sources } = await (await fetch("/api/v1/liquidity-sources")).json();
        localStorage.setItem("excluded", JSON.stringify(sources.map(({ id }: { id: string }) => id)));
      });
      await page.reload();
      await page.getByText("Only sources you excluded trade this pair").waitFor();
    },
  },
  { name: "beyond-depth", path: "/?in=MON&out=USDC&amount=1000000000000000000000000", prepare: (page) => page.getByText("More than the market holds").waitFor() },
  {
    name: "stale",
    path: SWAP,
    prepare: async (page) => {
      await loaded(page);
      await page.route(/\/api\/v1\/stream/, () => new Promise(() => undefined)); // never answers
      for (const hidden of [true, false]) await setVisible(page, !hidden); // opens the stream again
      await page.locator(".news", { hasText: "No news from the service" }).waitFor();
    },
  },
  { name: "offline-at-load", path: SWAP, before: (page) => page.route(api, (route) => route.abort()), prepare: (page) => page.locator(".news", { hasText: "cannot be reached" }).waitFor() },
  { name: "not-found", path: "/nope", prepare: (page) => page.getByRole("heading", { name: "There is no page here" }).waitFor() },
  {
    name: "picker",
    path: SWAP,
    prepare: async (page) => {
      await connected(page);
      await page.getByRole("button", { name: "Receive" }).click();
      await dialog(page).getByText(/^\$[\d.,]+M?$/).first().waitFor();
    },
  },
  { name: "settings", path: SWAP, prepare: async (page) => (await loaded(page), await page.getByRole("button", { name: "Settings" }).click(), await page.getByLabel("UniswapV3").waitFor()) },
  { name: "connect", path: SWAP, prepare: async (page) => (await loaded(page), await page.getByRole("button", { name: "Connect", exact: true }).click()) },
  { name: "confirm", path: SWAP, prepare: async (page) => (await connected(page), await page.locator(ACTION).click(), await page.getByRole("button", { name: /^Confirm swap/ }).waitFor()) },
  {
    name: "progress",
    path: SWAP,
    prepare: async (page, wallet) => {
      const restore = await signWith(page, wallet, () => new Promise(() => undefined));
      await page.getByText("Confirm the swap in the wallet").waitFor();
      restore();
    },
  },
  {
    name: "failed",
    path: SWAP,
    prepare: async (page, wallet) => {
      const restore = await signWith(page, wallet, () => Promise.reject({ code: 4001, message: "user rejected the request" }));
      await page.getByText("You declined in the wallet").waitFor();
      restore();
    },
  },
  { name: "receipt", path: SWAP, prepare: async (page) => (await connected(page), await confirm(page), await page.locator(".receipt").waitFor()) },
  { name: "history", path: SWAP, keepsStorage: true, prepare: async (page) => (await connected(page), await page.getByRole("button", { name: "Transactions" }).click(), await dialog(page).waitFor()) },
  { name: "unknown-token", path: "/?in=MON&out=0x00000000000000000000000000000000DeaDBeef&amount=5", prepare: (page) => page.locator(".notes .note.bad").waitFor() },
  {
    name: "look-alike",
    path: `/?in=MON&out=${WBTC}&amount=10`,
    before: (page) =>
      page.route(/\/api\/v1\/tokens/, async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        for (const token of body.tokens) if (token.address === WBTC) Object.assign(token, { symbol: "U\u0405DC", name: "USD Coin", isVerified: false });
        await route.fulfill({ response, json: body });
      }),
    prepare: async (page) => (await loaded(page), await page.locator(".notes .note.bad").waitFor()),
  },
  { name: "market", path: "/market", prepare: (page) => page.locator("tbody tr").first().waitFor() },
  { name: "market-loading", path: "/market", before: (page) => page.route(api, (route) => route.abort()), prepare: (page) => page.locator(".news", { hasText: "cannot be reached" }).waitFor() },
  { name: "docs", path: "/docs", prepare: (page) => page.locator(".pulse.live").waitFor() },
];

const sizes = [
  [1440, 900],
  [1024, 768],
  [360, 740],
] as const;

export function screenshotStates(environment: Environment): void {
  check("every state is captured at three widths in two themes; none scrolls horizontally, and axe finds nothing at 360 px", async () => {
    const wallet = environment.wallet();
    const { page } = await environment.open("/docs", { wallet, width: 1440 });
    const problems: string[] = [];
    for (const { name, path, before, prepare, keepsStorage } of states) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      if (!keepsStorage) await page.evaluate(() => localStorage.clear());
      await page.goto("about:blank");
      await before?.(page);
      await page.goto(environment.dev.page + path);
      await prepare(page, wallet).catch((error) => problems.push(`${name} cannot be reached: ${error.message.split("\n")[0]}`));
      for (const [width, height] of sizes) {
        await page.setViewportSize({ width, height });
        for (const theme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
          await page.waitForTimeout(120); // size observers have run
          await page.screenshot({ path: `${folder}/${name}-${width}-${theme}.png`, fullPage: !(await dialog(page).count()) });
          const pageWidth = await page.evaluate(() => document.documentElement.scrollWidth);
          if (pageWidth > width) problems.push(`${name} is ${pageWidth} px wide at ${width} px`);
          if (width === 360) problems.push(...(await violations(page, `${name} ${theme}`)));
        }
      }
      await page.unrouteAll({ behavior: "ignoreErrors" });
    }
    console.log(`${states.length} states, ${states.length * sizes.length * 2} pictures in build/screens`);
    assert.deepEqual(problems, []);
  }, /Failed to load resource|422|404/);
}
