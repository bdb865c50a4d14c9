// Amounts that users type and read are exactly those that are sent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { exact, rate, short } from "../src/amount";
import { parseAmount, groupDigits, type ParsedAmount } from "../src/interpret";

/** A small pseudo-random generator with a fixed seed. */
function* numbers(seed: bigint): Generator<bigint> {
  for (let x = seed; ; x = (x * 6364136223846793005n + 1442695040888963407n) % (1n << 64n)) yield x >> 11n;
}

test("an amount that is formatted and parsed again is the same", () => {
  const random = numbers(7n);
  for (let i = 0; i < 5000; i++) {
    const decimals = Number(random.next().value! % 25n);
    const raw = random.next().value! ** (1n + random.next().value! % 3n);
    for (const text of [exact(raw, decimals), groupDigits(raw, decimals)]) {
      const reading = parseAmount(text, { symbol: "T", decimals });
      // Three digits after a point may be thousands: then the amount is one of the two readings.
      const raws = reading.kind === "amount" ? [reading.raw] : reading.kind === "ambiguous" ? reading.raws : [];
      if (raw > 0n) assert.ok(raws.includes(raw), text);
    }
  }
});

test("a short amount is never more than the amount", () => {
  const random = numbers(8n);
  for (let i = 0; i < 5000; i++) {
    const decimals = Number(random.next().value! % 19n);
    const raw = random.next().value! % 10n ** (random.next().value! % 30n);
    const text = short(raw, decimals).replaceAll(",", "");
    const [digits, power] = text.split("e-");
    const [whole = "0", fraction = ""] = digits!.split(".");
    const shown = BigInt(whole + fraction.padEnd(decimals + 9, "0")) / 10n ** BigInt(Number(power ?? 0));
    assert.ok(shown <= raw * 10n ** 9n, `${text} for ${raw} of ${decimals} decimals`);
  }
});

const describe = (reading: ParsedAmount, decimals: number): string => {
  switch (reading.kind) {
    case "amount":
      return exact(reading.raw, decimals);
    case "ambiguous":
      return reading.raws.map((raw) => exact(raw, decimals)).join(" or ");
    case "dollars":
      return `$${reading.usd}`;
    case "invalid":
      return reading.reason;
    case "empty":
      return "";
  }
};

const digits = "Write the amount in digits, such as 1000.5.";
const grouping = "The digits are not grouped by three.";

/** Texts typed or pasted for USDC, which has six decimals, and how they are parsed. */
const cases: [string, string][] = [
  ["", ""], ["   ", ""], [".", ""], ["0", ""], ["0.", ""], ["0.00", ""], ["-", "An amount is above zero."],
  ["5", "5"], [" 5 ", "5"], ["5.", "5"], [".5", "0.5"], [",5", "0.5"], ["1.50", "1.5"], ["1,5", "1.5"], ["1,50", "1.5"], ["007", "7"],
  ["1,000.50", "1000.5"], ["1.000,50", "1000.5"], ["1,234,567", "1234567"], ["1.234.567", "1234567"], ["1.234.567,8", "1234567.8"], ["12,34,567.5", "1234567.5"],
  ["1 000", "1000"], ["1\u00a0000,5", "1000.5"], ["1\u202f000\u202f000.25", "1000000.25"], ["1'000.5", "1000.5"], ["1’000", "1000"],
  ["1,000", "1000 or 1"], ["1.000", "1000 or 1"], ["12.345", "12345 or 12.345"], ["999,999", "999999 or 999.999"],
  ["0.125", "0.125"], ["0,125", "0.125"], [".500", "0.5"], ["1234.567", "1234.567"], ["1234,567", "1234.567"], ["1.0005", "1.0005"], ["1,000.500", "1000.5"],
  ["1e3", "1000"], ["1E3", "1000"], ["1.5e-3", "0.0015"], ["1e+2", "100"], ["2.5e1", "25"], ["1e-6", "0.000001"], ["1e-7", "USDC has 6 decimals."], ["1.000e3", "1000000 or 1000"],
  ["0.1234567", "USDC has 6 decimals."], ["0.12345600", "0.123456"], ["1.2345678e1", "12.345678"],
  ["$100", "$100"], ["100$", "$100"], ["US$ 1,000.50", "$1000.5"], ["100 usd", "$100"], ["$", "Write dollars as $100 or $1000.50, or an amount of the token."], ["$1,000", "Write dollars as $100 or $1000.50, or an amount of the token."],
  ["100 USDC", "100"], ["100 usdc", "100"], ["100USDC", digits], ["100 MON", digits], ["€100", digits],
  ["-1", "An amount is above zero."], ["−1", "An amount is above zero."],
  ["٣", "3"], ["１２．５", "12.5"], ["१२", "12"], ["5²", digits], ["½", digits], ["五", digits],
  ["abc", digits], ["0x10", digits], ["1/2", digits], ["Infinity", digits], ["NaN", digits], ["1e", digits], ["e3", digits], ["1;2", digits], ["<b>1</b>", digits],
  ["1.2.3", grouping], ["1 00", grouping], ["1,00", "1"], ["1,0000.5", grouping], ["1 000 00", grouping], ["1.000,000.5", "A point and a comma stand in an order that no number has."], ["1,000.000,5", "A point and a comma stand in an order that no number has."],
  ["1e60", "1" + "0".repeat(60)], ["1e72", "That is more than a token can hold."], ["1e9999", "That is more than a token can hold."], ["9".repeat(90), "That is more than a token can hold."],
  ["1".repeat(161), "That is longer than any amount: 161 characters."], ["0".repeat(90) + "1", "1"],
];

test("an unambiguous amount is parsed, and the limit that another exceeds is named", () => {
  for (const [text, expected] of cases) assert.equal(describe(parseAmount(text, { symbol: "USDC", decimals: 6 }), 6), expected, JSON.stringify(text));
});

test("the largest amount is 2^256 - 1 raw units", () => {
  const unit = { symbol: "T", decimals: 0 };
  assert.deepEqual(parseAmount(String(2n ** 256n - 1n), unit), { kind: "amount", raw: 2n ** 256n - 1n });
  assert.equal(parseAmount(String(2n ** 256n), unit).kind, "invalid");
  assert.equal(describe(parseAmount("1.5", unit), 0), "T has no decimals.");
});

test("no token symbol changes how digits are parsed", () => {
  for (const symbol of ["0", "00", "e3", "E", ".", ",", "$", "usd", " ", ""]) {
    assert.equal(describe(parseAmount("100", { symbol, decimals: 6 }), 6), "100", symbol);
    assert.equal(describe(parseAmount("1e3", { symbol, decimals: 6 }), 6), "1000", symbol);
  }
});

test("a rate is in whole tokens", () => {
  assert.equal(rate(1000n * 10n ** 18n, 18, 30_024_751n, 6), "0.030024");
  assert.equal(rate(42_000_000n, 6, 1401n * 10n ** 18n, 18), "33.3571");
});
