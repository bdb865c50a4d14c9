// Starts the service, a browser and a wallet in the browser, as users have them.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { createWalletClient, defineChain, http, publicActions, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { chromium as executablePath } from "./chromium";

export const root = new URL("../..", import.meta.url).pathname;
export const screenshots = `${root}build/screens`;

export interface Service {
  page: string;
  admin: string;
  rpc: string;
  stop(): Promise<void>;
  /** SIGSTOP freezes the process with its connections open, SIGCONT resumes it. */
  signal(name: "SIGSTOP" | "SIGCONT"): void;
}

/** Starts braid and waits until it is ready. */
export async function braid(...args: string[]): Promise<Service> {
  const child = spawn(`${root}build/braid`, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const values = new Map<string, string>();
  for await (const line of createInterface(child.stdout!)) {
    const [name, value] = line.trim().split(/\s+/);
    if (name && value) values.set(name, value);
    if (values.has(args[0] === "dev" ? "JSON-RPC" : "API")) break;
  }
  if (!values.has("API")) throw new Error(`braid ${args[0]} ended before it was ready`);
  child.stdout!.resume();
  return { page: values.get("page")!.replace(/\/$/, ""), admin: values.get("admin")!, rpc: values.get("JSON-RPC") ?? "", stop: () => stop(child), signal: (name) => child.kill(name) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGCONT"); // it may be frozen
  child.kill("SIGINT");
  await exited;
}

export const KEY: Hex = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

type SentTransaction = { to: Hex; data: Hex; value: Hex; gas?: Hex; chainId?: Hex };

/** A wallet like a browser extension: it has the key, the page does not. */
export class Wallet {
  chain = 143;
  knowsChain = true;
  rejects = false;
  supportsBatches = false;
  requests: string[] = [];
  sent: SentTransaction[] = [];
  private batches = new Map<string, Hex[]>();
  readonly account;

  constructor(readonly rpc: string, key = KEY) {
    this.account = privateKeyToAccount(key);
  }

  client() {
    const chain = defineChain({ id: 143, name: "Monad", nativeCurrency: { name: "Monad", symbol: "MON", decimals: 18 }, rpcUrls: { default: { http: [this.rpc] } } });
    return createWalletClient({ account: this.account, chain, transport: http(), pollingInterval: 50 }).extend(publicActions);
  }

  async request(method: string, params: any[] = []): Promise<unknown> {
    this.requests.push(method);
    switch (method) {
      case "eth_accounts":
        return [];
      case "eth_requestAccounts":
        return [this.account.address];
      case "eth_chainId":
        return `0x${this.chain.toString(16)}`;
      case "wallet_switchEthereumChain":
        if (!this.knowsChain) throw { code: 4902, message: "unknown chain" };
        this.chain = Number(params[0].chainId);
        return null;
      case "wallet_addEthereumChain":
        this.knowsChain = true;
        return null;
      case "wallet_getCapabilities":
        if (!this.supportsBatches) throw { code: -32601, message: "no such method" };
        return { "0x8f": { atomic: { status: "supported" } } };
      case "wallet_sendCalls": {
        const hashes: Hex[] = [];
        for (const call of params[0].calls as SentTransaction[]) {
          const hash = await this.send(call);
          await this.client().waitForTransactionReceipt({ hash }); // the next call depends on it
          hashes.push(hash);
        }
        this.batches.set("0x01", hashes);
        return { id: "0x01" };
      }
      case "wallet_getCallsStatus": {
        const hashes = this.batches.get(params[0])!;
        const receipts = await Promise.all(hashes.map((hash) => this.forward("eth_getTransactionReceipt", [hash])));
        return { status: receipts.every(Boolean) ? 200 : 100, receipts };
      }
      case "eth_sendTransaction":
        return this.send(params[0]);
      default:
        return this.forward(method, params);
    }
  }

  private async send(tx: SentTransaction): Promise<Hex> {
    if (this.rejects) throw { code: 4001, message: "user rejected the request" };
    this.sent.push(tx);
    return this.client().sendTransaction({ to: tx.to, data: tx.data, value: BigInt(tx.value ?? 0), ...(tx.gas ? { gas: BigInt(tx.gas) } : {}) });
  }

  private async forward(method: string, params: unknown[]): Promise<unknown> {
    return this.client().request({ method, params } as never);
  }

  async install(context: BrowserContext): Promise<void> {
    await context.exposeFunction("askTestWallet", (method: string, params: unknown[]) =>
      this.request(method, params).then((result) => ({ result }), (error) => ({ error: { code: error.code, message: error.message } })),
    );
    await context.addInitScript(extension);
  }
}

// The part of the wallet that runs in the page (EIP-6963, EIP-1193). It is a string,
// as a compiled function would call helpers that the page does not have.
const extension = {
  content: `{
    const provider = {
      async request({ method, params }) {
        const { result, error } = await window.askTestWallet(method, params ?? []);
        if (error) throw Object.assign(new Error(error.message), error);
        return result;
      },
    };
    const info = { uuid: "7b1c", name: "Test wallet", icon: "", rdns: "test.wallet" };
    const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }));
    window.addEventListener("eip6963:requestProvider", announce);
    announce();
  }`,
};

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"] });

/** Answers the requests for token logos, the only ones to other hosts. */
async function serveLogos(context: BrowserContext): Promise<void> {
  await context.route(/^https:/, (route) => {
    const hue = [...route.request().url()].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 360, 7);
    return route.fulfill({ contentType: "image/svg+xml", body: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="16" fill="hsl(${hue} 55% 55%)"/><path d="M8 12c5 0 6 8 16 8M8 20c5 0 6-8 16-8" stroke="#fff" stroke-width="3" fill="none" stroke-linecap="round"/></svg>` });
  });
}

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Errors in the browser's console. */
  consoleErrors: string[];
}

export interface Options {
  width?: number;
  height?: number;
  dark?: boolean;
  wallet?: Wallet;
  /** false: a browser without JavaScript. */
  javaScript?: boolean;
}

export async function visit(browser: Browser, url: string, { width = 1240, height = 900, dark = false, wallet, javaScript = true }: Options = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", javaScriptEnabled: javaScript });
  context.setDefaultTimeout(30_000);
  await serveLogos(context);
  await context.addInitScript({ content: "globalThis.__name = (f) => f" }); // a helper that the compiler adds to functions
  await wallet?.install(context);
  const page = await context.newPage();
  const consoleErrors: string[] = [];
  page.on("console", (message) => message.type() === "error" && consoleErrors.push(message.text()));
  page.on("pageerror", (error) => consoleErrors.push(String(error)));
  await page.goto(url);
  return { page, context, consoleErrors };
}

mkdirSync(screenshots, { recursive: true });
