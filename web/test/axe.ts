import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

/** All violations that axe finds, of any severity. */
export async function violations(page: Page, where: string): Promise<string[]> {
  await page.evaluate(axe);
  const found = (await page.evaluate(() => (window as any).axe.run({ resultTypes: ["violations"] }))) as { violations: Violation[] };
  return found.violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes[0]?.html.slice(0, 160)} ${nodes[0]?.failureSummary}`);
}
