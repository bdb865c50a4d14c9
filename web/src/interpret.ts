// Parses the text of the amount field. A separator counts as a decimal or a thousands
// separator only if the other is impossible; if both are possible the user chooses
// between the two amounts.

import { exact } from "./amount";

export type ParsedAmount =
  | { kind: "empty" } // no digits yet, or zero
  | { kind: "amount"; raw: bigint }
  | { kind: "ambiguous"; raws: [bigint, bigint] } // the separator may be of thousands or of decimals
  | { kind: "dollars"; usd: number }
  | { kind: "invalid"; reason: string };

export interface Unit {
  symbol: string;
  decimals: number;
}

/** The digit zero of scripts whose ten digits have consecutive code points: Arabic, Persian, Devanagari, full width. */
const zeros = [0x660, 0x6f0, 0x966, 0xff10];
const signs: Record<string, string> = { "٫": ".", "．": ".", "٬": "'", "，": ",", "’": "'", "＇": "'", "−": "-", "＄": "$" };

/** The text with ASCII digits and signs, and one kind of space. */
function normalize(text: string): string {
  return [...text.trim()]
    .map((c) => {
      const zero = zeros.find((zero) => c.codePointAt(0)! >= zero && c.codePointAt(0)! < zero + 10);
      if (zero !== undefined) return String(c.codePointAt(0)! - zero);
      return signs[c] ?? (/\s/.test(c) ? " " : c);
    })
    .join("");
}

const MAX_LENGTH = 160;
const AMOUNT_LIMIT = 1n << 256n;
const invalid = (reason: string): ParsedAmount => ({ kind: "invalid", reason });

export function parseAmount(text: string, unit: Unit): ParsedAmount {
  if (text.trim().length > MAX_LENGTH) return invalid(`That is longer than any amount: ${text.trim().length} characters.`);
  let rest = normalize(text);
  if (!rest) return { kind: "empty" };
  rest = withoutSymbol(rest, unit.symbol);
  const dollars = /^(?:us ?)?\$ ?(.*)$/i.exec(rest) ?? /^(.*?) ?(?:us)?\$$/i.exec(rest) ?? /^(.*?) ?usd$/i.exec(rest);
  if (dollars) return parseDollars(dollars[1]!);
  if (/^-/.test(rest)) return invalid("An amount is above zero.");
  if (/^[.,]$/.test(rest)) return { kind: "empty" };

  const readings = parseNumber(rest);
  if (typeof readings === "string") return invalid(readings);
  const raws = readings.map((number) => toRaw(number, unit));
  const problem = raws.find((raw) => typeof raw === "string");
  if (problem !== undefined) return invalid(problem as string);
  const [first, second] = raws as bigint[];
  if (second !== undefined) return { kind: "ambiguous", raws: [first!, second] };
  return first === 0n ? { kind: "empty" } : { kind: "amount", raw: first! };
}

/** Removes the token's symbol from "100 MON". Symbols can be any text, so only one that begins with a letter, after a space. */
function withoutSymbol(text: string, symbol: string): string {
  const at = text.length - symbol.length;
  const own = /^\p{L}/u.test(symbol) && text.slice(at).toLowerCase() === symbol.toLowerCase() && text[at - 1] === " ";
  return own ? text.slice(0, at).trim() : text;
}

function parseDollars(text: string): ParsedAmount {
  const readings = text ? parseNumber(text) : "";
  if (typeof readings === "string" || readings.length !== 1) return invalid("Write dollars as $100 or $1000.50, or an amount of the token.");
  const usd = Number(readings[0]!.digits) * 10 ** readings[0]!.power;
  return usd > 0 ? { kind: "dollars", usd } : { kind: "empty" };
}

/** digits × 10^power */
interface Decimal {
  digits: string;
  power: number;
}

const decimal = (whole: string, fraction: string, power: number): Decimal => ({ digits: whole + fraction || "0", power: power - fraction.length });

/** The numbers that a text can mean (two if a separator is ambiguous), or what is wrong with it. */
function parseNumber(text: string): Decimal[] | string {
  const [, mantissa = "", exponent = "0"] = /^(.*?)(?:e([+-]?\d{1,4}))?$/i.exec(text) ?? [];
  const power = Number(exponent);
  if (/[^\d.,' ]/.test(mantissa) || !/\d/.test(mantissa)) return "Write the amount in digits, such as 1000.5.";

  // Spaces and apostrophes only separate thousands.
  const groupSeparator = /[' ]/.exec(mantissa)?.[0];
  if (groupSeparator) {
    const [whole = "", fraction = "", ...more] = mantissa.split(/[.,]/);
    if (more.length || !isGrouped(whole, groupSeparator) || /[' ]/.test(fraction)) return "The digits are not grouped by three.";
    return [decimal(whole.replaceAll(groupSeparator, ""), fraction, power)];
  }
  const separators = mantissa.replace(/\d/g, "");
  const lastSeparator = separators.at(-1) ?? "";
  if (!separators) return [decimal(mantissa, "", power)];
  if (separators.length === 1) {
    const [whole = "", fraction = ""] = mantissa.split(lastSeparator);
    const asDecimals = decimal(whole, fraction, power);
    return /^[1-9]\d{0,2}$/.test(whole) && fraction.length === 3 ? [decimal(whole + fraction, "", power), asDecimals] : [asDecimals];
  }
  const firstSeparator = separators[0]!;
  const mixed = lastSeparator !== firstSeparator;
  if ([...separators.slice(0, mixed ? -1 : undefined)].some((c) => c !== firstSeparator)) return "A point and a comma stand in an order that no number has.";
  const at = mixed ? mantissa.lastIndexOf(lastSeparator) : mantissa.length;
  const [whole, fraction] = [mantissa.slice(0, at), mantissa.slice(at + 1)];
  if (!isGrouped(whole, firstSeparator)) return "The digits are not grouped by three.";
  return [decimal(whole.replaceAll(firstSeparator, ""), fraction, power)];
}

/** Whether digits are in groups of three, or in those of India: 12,34,567. */
function isGrouped(text: string, separator: string): boolean {
  const groups = text.split(separator);
  if (groups.length < 2 || groups.at(-1)!.length !== 3 || !/^[1-9]/.test(text)) return false;
  const middle = groups.slice(1, -1);
  const three = groups[0]!.length <= 3 && middle.every((group) => group.length === 3);
  return three || (separator === "," && groups[0]!.length <= 2 && middle.every((group) => group.length === 2));
}

/** The number in raw units, or the limit that it exceeds. */
function toRaw({ digits, power }: Decimal, { symbol, decimals }: Unit): bigint | string {
  const shift = power + decimals;
  const trimmed = digits.replace(/^0+/, "");
  if (!trimmed) return 0n;
  const tooLarge = "That is more than a token can hold.";
  if (shift >= 0) {
    if (trimmed.length + shift > 78) return tooLarge;
    const raw = BigInt(trimmed) * 10n ** BigInt(shift);
    return raw < AMOUNT_LIMIT ? raw : tooLarge;
  }
  const wholeDigits = trimmed.length + shift;
  if (/[1-9]/.test(trimmed.slice(Math.max(wholeDigits, 0)))) return decimals ? `${symbol} has ${decimals} decimals.` : `${symbol} has no decimals.`;
  const raw = BigInt(trimmed.slice(0, wholeDigits));
  return raw < AMOUNT_LIMIT ? raw : tooLarge;
}

/** The amount as the field shows it while it is not edited. Thousands are separated by a narrow space, which unlike a comma is not ambiguous. */
export function groupDigits(raw: bigint, decimals: number): string {
  const [whole = "", fraction] = exact(raw, decimals).split(".");
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return fraction ? `${groups}.${fraction}` : groups;
}
