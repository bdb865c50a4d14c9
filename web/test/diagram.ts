import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { check, quoted, type Environment } from "./checks";

/** Labels that overlap each other or extend beyond the element that contains them. */
async function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const flow = document.querySelector(".flow")!;
    const card = flow.closest(".card")!.getBoundingClientRect();
    const outside = (box: DOMRect, frame: DOMRect) => box.left < frame.left - 0.5 || box.right > frame.right + 0.5 || box.top < frame.top - 0.5 || box.bottom > frame.bottom + 0.5;
    const svg = flow.querySelector("svg");
    const frame = svg?.getBoundingClientRect() ?? card;
    const labels = [...flow.querySelectorAll(svg ? "svg text" : ".stop, .hop summary > span")].filter((label) => label.checkVisibility()).map((label) => ({ text: label.textContent ?? "", box: label.getBoundingClientRect() }));
    if (!labels.length) found.push("there is no label");
    if (svg && outside(frame, card)) found.push(`the diagram of ${frame.width} px sticks out of its card of ${card.width} px`);
    for (const [i, a] of labels.entries()) {
      if (outside(a.box, frame)) found.push(`${a.text} is cropped`);
      for (const b of labels.slice(0, i)) {
        const overlapX = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const overlapY = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        if (overlapX > 0.5 && overlapY > 1.5) found.push(`${a.text} covers ${b.text}`); // the boxes of texts contain some empty space
      }
    }
    for (const shape of flow.querySelectorAll("svg path, svg rect")) if (outside(shape.getBoundingClientRect(), frame)) found.push("a shape is cropped");
    const scrolls = [...document.querySelectorAll(".flow, .curve, .see .card")].filter((part) => part.scrollWidth > part.clientWidth + 1);
    for (const part of scrolls) found.push(`${part.className} scrolls sideways`);
    if (document.documentElement.scrollWidth > innerWidth) found.push("the page scrolls sideways");
    return found;
  });
}

const symbols = ["MON", "USDC", "WETH", "WBTC", "USDT0", "EURm", "AUSD", "sMON", "shMON", "gMON", "aprMON", "DAK", "YAKI", "CHOG", "MOLANDAK", "PINGU"];

/** Links to orders that have quotes, of small to large amounts. */
async function orders(environment: Environment, wanted: number): Promise<string[]> {
  const { tokens } = await (await fetch(`${environment.dev.page}/api/v1/tokens?limit=500`)).json();
  const known = new Map<string, { address: string; decimals: number }>(tokens.filter((token: any) => token.isVerified).map((token: any) => [token.symbol, token]));
  const names = ["MON", ...symbols.filter((symbol) => known.has(symbol)), ...known.keys()].filter((symbol, i, all) => all.indexOf(symbol) === i).slice(0, 14);
  const native = { address: "0x0000000000000000000000000000000000000000", decimals: 18 };
  const found: { path: string; steps: number }[] = [];
  for (const [i, from] of names.entries()) {
    for (const to of names) {
      const amount = [20, 3000, 400_000, 5_000_000][(i + found.length) % 4]!;
      const [a, b] = [known.get(from) ?? native, known.get(to) ?? native];
      if (from === to || (from.endsWith("MON") && to === "MON" && from === "WMON")) continue;
      const query = new URLSearchParams({ tokenIn: a.address, tokenOut: b.address, amount: `${amount}${"0".repeat(a.decimals)}` });
      const response = await fetch(`${environment.dev.page}/api/v1/quote?${query}`);
      if (!response.ok) continue;
      found.push({ path: `/?in=${from}&out=${to}&amount=${amount}`, steps: (await response.json()).routes.length });
    }
  }
  // The routes with the most steps, and some of the others.
  found.sort((a, b) => b.steps - a.steps);
  const rest = found.slice(wanted / 2);
  return [...found.slice(0, wanted / 2), ...rest.filter((_, i) => i % Math.ceil(rest.length / (wanted / 2)) === 0)].map(({ path }) => path);
}

export function diagram(environment: Environment): void {
  check("in thirty routes no label overlaps another or is cropped, at any width", async () => {
    const paths = await orders(environment, 34);
    assert.ok(paths.length >= 30, `${paths.length} routes`);
    const { page } = await environment.open("/docs");
    const faults: string[] = [];
    let steps = 0;
    const drawn = new Map<number, number>();
    for (const path of paths) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(environment.dev.page + path);
      await quoted(page);
      for (const width of [1440, 1024, 360]) {
        await page.setViewportSize({ width, height: 900 });
        await page.locator(width === 360 ? ".flow .hop" : ".flow svg, .flow .hop").first().waitFor();
        await page.waitForTimeout(width === 1440 ? 100 : 450); // transitions have ended
        drawn.set(width, (drawn.get(width) ?? 0) + (await page.locator(".flow svg").count()));
        for (const more of await page.locator(".flow .more > summary").all()) await more.click();
        for (const fault of await layoutFaults(page)) faults.push(`${path} at ${width} px: ${fault}`);
      }
      steps += await page.locator(".flow .hop").count();
    }
    console.log(`${paths.length} routes of ${(steps / paths.length).toFixed(1)} steps at three widths; drawn rather than listed: ${[...drawn].map(([width, n]) => `${n} at ${width} px`).join(", ")}`);
    assert.ok(drawn.get(1440)! >= paths.length * 0.9 && drawn.get(1024)! >= paths.length * 0.8, "too few are drawn");
    assert.equal(drawn.get(360), 0);
    assert.deepEqual(faults, []);
  });

  check("ribbons are areas, and a click on one shows its step", async () => {
    const { page } = await environment.open("/?in=MON&out=USDC&amount=2000000");
    await quoted(page);
    const ribbons = page.locator(".flow .ribbon");
    await ribbons.first().waitFor();
    for (const d of await ribbons.evaluateAll((paths) => paths.map((path) => path.getAttribute("d")!))) assert.match(d, /Z$/);
    await ribbons.first().dispatchEvent("click");
    await page.locator(".flow .caption", { hasText: "→" }).waitFor();

    await page.setViewportSize({ width: 360, height: 740 });
    const first = page.locator(".flow .hop").first();
    await first.locator("summary").click();
    await first.getByText(/pool 0x/).waitFor();
  });

  check("the whole depth curve is visible", async () => {
    for (const path of ["/?in=MON&out=USDC&amount=2000000", "/?in=USDC&out=EURm&amount=100", "/?in=WETH&out=WBTC&amount=1", "/?in=USDC&out=MON&amount=1000"]) {
      const { page, context } = await environment.open(path);
      await quoted(page);
      await page.locator(".curve .stroke").waitFor();
      const inside = await page.evaluate(() => {
        const frame = document.querySelector(".curve svg")!.getBoundingClientRect();
        return [...document.querySelectorAll(".curve svg .stroke, .curve svg .fill, .curve svg text, .curve svg circle")].every((part) => {
          const box = part.getBoundingClientRect();
          return box.left >= frame.left - 0.5 && box.right <= frame.right + 0.5 && box.top >= frame.top && box.bottom <= frame.bottom;
        });
      });
      assert.ok(inside, path);
      // A larger amount may have a smaller impact; the curve follows its points, even above the last one.
      await page.route(/\/api\/v1\/depth/, async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        body.points[body.points.length >> 1].priceImpactBps = body.points.at(-1).priceImpactBps * 4 + 400;
        await route.fulfill({ response, json: body });
      });
      await page.reload();
      await quoted(page);
      await page.locator(".curve .stroke").waitFor();
      const cropped = await page.evaluate(() => document.querySelector(".curve .stroke")!.getBoundingClientRect().top < document.querySelector(".curve svg")!.getBoundingClientRect().top);
      assert.ok(!cropped, `${path} with a bend`);
      await context.close();
    }
  });

  check("the gain is shown in dollars, and no gap is shown without a bound", async () => {
    const { page, context } = await environment.open("/?in=MON&out=USDC&amount=2000000");
    await quoted(page);
    await page.locator(".figure", { hasText: /\$[\d,.]+ more/ }).getByText(/than the best single venue/).waitFor();
    await context.route(/\/api\/v1\/stream/, async (route) => {
      const query = new URL(route.request().url()).search;
      const quote = await (await fetch(`${environment.dev.page}/api/v1/quote${query}`)).json();
      delete quote.meta.boundAmountOut;
      delete quote.meta.optimalityGapBps;
      quote.meta.boundReason = "prices of this market disagree by more than a swap can use";
      await route.fulfill({ contentType: "text/event-stream", body: `event: quote\ndata: ${JSON.stringify(quote)}\n\n` });
    });
    await page.reload();
    await quoted(page);
    const optimum = page.locator(".figure", { hasText: "Distance to the optimum" });
    await optimum.getByText("prices of this market disagree").waitFor();
    assert.doesNotMatch(await optimum.innerText(), /bps|loose/);
  });
}
