// What people type and read is exactly what is sent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { exact, parse, rate, short } from "../src/amount";

/** A small generator, the same every time. */
function* numbers(seed: bigint): Generator<bigint> {
  for (let x = seed; ; x = (x * 6364136223846793005n + 1442695040888963407n) % (1n << 64n)) yield x >> 11n;
}

test("an amount survives being written out and read again", () => {
  const random = numbers(7n);
  for (let i = 0; i < 5000; i++) {
    const decimals = Number(random.next().value! % 25n);
    const raw = random.next().value! ** (1n + random.next().value! % 3n);
    assert.equal(parse(exact(raw, decimals), decimals), raw);
  }
});

test("a short amount is never more than the amount", () => {
  const random = numbers(8n);
  for (let i = 0; i < 5000; i++) {
    const decimals = Number(random.next().value! % 19n);
    const raw = random.next().value! % 10n ** (random.next().value! % 30n);
    const text = short(raw, decimals).replaceAll(",", "");
    const [digits, power] = text.split("e-");
    const shown = parse(digits!, decimals + 9)! / 10n ** BigInt(Number(power ?? 0));
    assert.ok(shown <= raw * 10n ** 9n, `${text} for ${raw} of ${decimals} decimals`);
  }
});

test("what is no amount is refused", () => {
  for (const text of ["", ".", "-1", "1e3", "1,5", "1 000", "0x10", "1.2.3", "٣", "Infinity", "0.1234567"]) assert.equal(parse(text, 6), undefined, text);
  assert.equal(parse("115792089237316195423570985008687907853269984665640564039457584007913129639936", 0), undefined, "2^256");
  assert.equal(parse("1.50", 6), 1_500_000n);
  assert.equal(parse(".5", 1), 5n);
  assert.equal(parse("1.1000000000", 1), 11n);
});

test("a rate counts in whole tokens", () => {
  assert.equal(rate(1000n * 10n ** 18n, 18, 30_024_751n, 6), "0.030024");
  assert.equal(rate(42_000_000n, 6, 1401n * 10n ** 18n, 18), "33.3571");
});
