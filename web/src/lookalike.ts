// Finds tokens that look like verified ones. Anyone can choose any symbol and name:
// only the address identifies a token.

import type { Token } from "./api";

/** Maps characters to the Latin letter that they look like. Greek capitals look different from their small letters, so both are listed. */
const confusable: Record<string, string> = {};
for (const [letter, others] of Object.entries({
  a: "аαɑ@Α", b: "ЬвβƄΒ", c: "сϲᴄ¢", d: "ԁɗ", e: "еєε℮€Ε", g: "ɡց", h: "һнΗ", i: "іιɩıl1|!ӏ∣Ι", j: "јϳ", k: "кκΚ", m: "мʍΜ", n: "пոᴎηΝ", o: "о0οσօ०〇Ο", p: "рρΡ",
  q: "ԛ", s: "ѕ$5ꜱ", t: "тτ₮+Τ", u: "υսᴜ", v: "νѵ", w: "ѡԝωա₩", x: "хχ×Χ", y: "уγү¥Υ", z: "ᴢ2Ζ",
})) {
  for (const other of others) confusable[other] = letter;
}

/** A text reduced to what it looks like: texts that look the same have equal skeletons. */
export function skeleton(text: string): string {
  const visible = text.normalize("NFKD").replace(/^\$+/, "").replace(/[\p{M}\p{Cf}\p{Cc}\p{Z}\p{Pd}_.'’·*]/gu, "");
  const letters = [...visible].map((c) => confusable[c] ?? c.toLowerCase()).map((c) => confusable[c] ?? c);
  return letters.join("").replaceAll("rn", "m").replaceAll("vv", "w");
}

type Named = Pick<Token, "address" | "symbol" | "name" | "isVerified">;

/** The verified token that an unverified one could be mistaken for. */
export function lookalikeOf<T extends Named>(token: Named, verified: T[]): T | undefined {
  if (token.isVerified) return undefined;
  const own = [skeleton(token.symbol), skeleton(token.name)].filter(Boolean);
  return verified.find(({ address, symbol, name }) => address !== token.address && (own.includes(skeleton(symbol)) || own.includes(skeleton(name))));
}

export function warningOf(token: Named, like: Named | undefined): string {
  return like ? `This ${token.symbol} is not ${like.symbol} (${like.address}): it only looks like it.` : `${token.symbol} is not verified: anybody can make a token of this name.`;
}
