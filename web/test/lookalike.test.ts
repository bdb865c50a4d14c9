// Tokens that can be mistaken for verified ones.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lookalikeOf, skeleton } from "../src/lookalike";

const token = (symbol: string, name = symbol, isVerified = false) => ({ address: `0x${Buffer.from(symbol + name).toString("hex")}`, symbol, name, isVerified });
const verified = [token("MON", "Monad", true), token("USDC", "USD Coin", true), token("WETH", "Wrapped Ether", true), token("USDT0", "USDT0", true), token("wstETH", "Wrapped stETH", true)];

test("a token that looks like a verified one is recognised", () => {
  for (const [symbol, lookalike] of [
    ["USDC", "USDC"],
    ["usdc", "USDC"],
    ["USD\u0421", "USDC"], // Cyrillic
    ["ＵＳＤＣ", "USDC"], // full width
    ["U\u200bSDC", "USDC"], // zero width
    ["USDC\u202e", "USDC"], // direction mark
    ["USDĆ", "USDC"],
    ["$USDC", "USDC"],
    ["U5DC", "USDC"],
    ["USD C", "USDC"],
    ["USDC.", "USDC"],
    ["M0N", "MON"],
    ["ΜΟΝ", "MON"], // Greek
    ["мon", "MON"],
    ["VVETH", "WETH"],
    ["USDTO", "USDT0"],
    ["USDT", undefined],
    ["CAT", undefined],
  ] as const) {
    assert.equal(lookalikeOf(token(symbol, "Some token"), verified)?.symbol, lookalike, JSON.stringify(symbol));
  }
  assert.equal(lookalikeOf(token("XYZ", "USD Coin"), verified)?.symbol, "USDC", "by name");
});

test("a verified token is never a look-alike", () => {
  assert.equal(lookalikeOf(token("USDC", "Bridged USDC", true), verified), undefined);
  assert.equal(skeleton(""), "");
});
