import assert from "node:assert/strict";
import type { CDPSession, Page } from "playwright-core";
import { check, quoted, setVisible, type Environment } from "./checks";
import { connect } from "./swaps";
import { braid, visit } from "./harness";

const SECONDS = Number(process.env.SECONDS ?? 20); // of each measurement; SECONDS=60 make browse measures for longer
const MAX_PER_HOUR = 10e6;

/** Counts bytes sent and received, by path; bodies as they are encoded. */
async function meter(page: Page): Promise<{ session: CDPSession; bytes: Map<string, number> }> {
  const session = await page.context().newCDPSession(page);
  const bytes = new Map<string, number>();
  const paths = new Map<string, string>();
  const add = (id: string, n: number) => bytes.set(paths.get(id) ?? "?", (bytes.get(paths.get(id) ?? "?") ?? 0) + n);
  const size = (headers: object) => Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + String(value).length + 4, 40);
  session.on("Network.requestWillBeSent", ({ requestId, request }) => {
    paths.set(requestId, new URL(request.url).pathname);
    add(requestId, request.postData?.length ?? 0);
  });
  session.on("Network.requestWillBeSentExtraInfo", ({ requestId, headers }) => add(requestId, size(headers)));
  session.on("Network.responseReceivedExtraInfo", ({ requestId, headers }) => add(requestId, size(headers)));
  session.on("Network.dataReceived", ({ requestId, encodedDataLength }) => add(requestId, encodedDataLength));
  await session.send("Network.enable");
  return { session, bytes };
}

const block = async (page: Page) => Number((await page.locator(".pulse .number").textContent())!.replaceAll(",", ""));

export function traffic(environment: Environment): void {
  check("an hour of a visible page takes at most 10 MB at 300 ms blocks with activity, a hidden page nothing", async () => {
    const dev = await braid("dev", "--addr", "127.0.0.1:0", "--rpc-addr", "127.0.0.1:0", "--block-time", "300ms", "--activity");
    try {
      for (const amount of [1000, 2_000_000]) {
        const { page, context } = await visit(environment.browser, `${dev.page}/?in=MON&out=USDC&amount=${amount}`);
        await quoted(page);
        await connect(page, "Local account");
        await page.locator(".curve .stroke").waitFor();
        await page.waitForTimeout(3000);
        const steps = (await page.locator(".see .bar .soft").first().textContent())!;
        const first = await block(page);
        const { bytes } = await meter(page);
        await page.reload(); // an open stream is not counted, and loading is not part of the hour
        await quoted(page);
        await page.locator(".curve .stroke").waitFor();
        await page.waitForTimeout(3000);
        bytes.clear();
        const [from, began] = [await block(page), Date.now()];
        await page.waitForTimeout(SECONDS * 1000);
        const [blocks, seconds] = [(await block(page)) - from, (Date.now() - began) / 1000];
        const all = [...bytes.values()].reduce((sum, n) => sum + n, 0);
        const hour = (all / seconds) * 3600;
        const parts = [...bytes].sort((a, b) => b[1] - a[1]).map(([path, n]) => `${path} ${((n / seconds) * 3.6e-3).toFixed(2)}`);
        console.log(`${steps}: ${blocks} blocks in ${seconds.toFixed(0)} s, ${(hour / 1e6).toFixed(2)} MB an hour (${parts.join(", ")})`);
        assert.ok(first > 0 && blocks > SECONDS, `${blocks} blocks in ${seconds} s`);
        assert.ok(hour <= MAX_PER_HOUR, `${(hour / 1e6).toFixed(2)} MB an hour`);

        await setVisible(page, false);
        await page.waitForTimeout(1500);
        bytes.clear();
        await page.waitForTimeout(17_000);
        assert.deepEqual([...bytes], [], "hidden");
        await context.close();
      }
    } finally {
      await dev.stop();
    }
  });
}
