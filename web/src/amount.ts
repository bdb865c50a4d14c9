// Amounts are bigints in raw units. This file formats them as text to read or to edit.

/** The exact amount in decimal, in the form that the amount field accepts. */
export function exact(raw: bigint, decimals: number): string {
  const digits = raw.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return fraction ? `${whole}.${fraction}` : whole;
}

/** Latin digits in every locale: the functions below slice formatted text digit by digit. */
const latinDigits = { numberingSystem: "latn" };

/** The decimal separator of the user's locale. */
const decimalSeparator = (1.5).toLocaleString(undefined, latinDigits).slice(1, -1);

/** The exact amount with the decimal separator of the user's locale. */
export const exactLocalized = (raw: bigint, decimals: number): string => exact(raw, decimals).replace(".", decimalSeparator);

/** The amount in the number format of the user's locale, truncated (never rounded up) to a number of significant digits. */
export function short(raw: bigint, decimals: number, significant = 7): string {
  const [whole = "0", fraction = ""] = exact(raw, decimals).split(".");
  const grouped = BigInt(whole).toLocaleString(undefined, latinDigits);
  const leadingZeros = whole === "0" ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const fractionDigits = whole === "0" ? leadingZeros + Math.min(significant, 5) : Math.max(significant - whole.length, 0);
  if (leadingZeros > 8) return `${fraction[leadingZeros]}${decimalSeparator}${fraction.slice(leadingZeros + 1, leadingZeros + 4) || "0"}e-${leadingZeros + 1}`;
  const shownFraction = fraction.slice(0, fractionDigits).replace(/0+$/, "");
  return shownFraction ? `${grouped}${decimalSeparator}${shownFraction}` : grouped;
}

const cents = new Intl.NumberFormat(undefined, { ...latinDigits, style: "currency", currency: "USD" });
const compact = new Intl.NumberFormat(undefined, { ...latinDigits, style: "currency", currency: "USD", notation: "compact", maximumSignificantDigits: 4 });
const precise = new Intl.NumberFormat(undefined, { ...latinDigits, style: "currency", currency: "USD", maximumSignificantDigits: 4 });

/** An amount in USD; empty if the price is not known, which is 0. */
export function usd(value: string | number, style: "plain" | "compact" | "price" = "plain"): string {
  const n = Number(value);
  if (!(n > 0)) return "";
  if (style === "compact") return compact.format(n);
  if (style === "price" || n < 0.01) return precise.format(n);
  return cents.format(n);
}

/** An amount in USD for small spaces: from a million on, in compact notation. */
export const usdBrief = (value: string | number): string => usd(value, Number(value) >= 1e6 ? "compact" : "plain");

const percents = new Intl.NumberFormat(undefined, { ...latinDigits, style: "percent", minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const percent = (bps: number): string => percents.format(bps / 10000);

export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** The price of one whole input token in whole output tokens, to six significant digits. For display only. */
export function rate(amountIn: bigint, decimalsIn: number, amountOut: bigint, decimalsOut: number): string {
  if (amountIn === 0n) return "";
  const scaled = (amountOut * 10n ** BigInt(18 + decimalsIn)) / (amountIn * 10n ** BigInt(decimalsOut));
  return short(scaled, 18, 6);
}
