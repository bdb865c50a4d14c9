// The real page in a real browser, against braid dev.

import { describe } from "node:test";
import { activity } from "./activity";
import { amounts } from "./amounts";
import { world } from "./checks";
import { connection } from "./connection";
import { diagram } from "./diagram";
import { docs } from "./docs";
import { impact } from "./impact";
import { looks } from "./looks";
import { market } from "./market";
import { money } from "./money";
import { picks } from "./picks";
import { resilience } from "./resilience";
import { screens } from "./screens";
import { looksOfForm } from "./states";
import { swaps } from "./swaps";
import { traffic } from "./traffic";
import { troubles } from "./troubles";

describe("swap", () => swaps(world));
describe("amount", () => amounts(world));
describe("money", () => money(world));
describe("transactions", () => activity(world));
describe("tokens", () => picks(world));
describe("impact", () => impact(world));
describe("form", () => looksOfForm(world));
describe("trouble", () => troubles(world));
describe("market", () => market(world));
describe("connection", () => connection(world));
describe("diagram", () => diagram(world));
describe("resilience", () => resilience(world));
describe("traffic", () => traffic(world));
describe("docs", () => docs(world));
describe("looks", () => looks(world));
describe("screens", () => screens(world));
