// The real page in a real browser, against braid dev.

import { describe } from "node:test";
import { world } from "./checks";
import { connection } from "./connection";
import { diagram } from "./diagram";
import { docs } from "./docs";
import { looks } from "./looks";
import { market } from "./market";
import { swaps } from "./swaps";
import { troubles } from "./troubles";

describe("swap", () => swaps(world));
describe("trouble", () => troubles(world));
describe("market", () => market(world));
describe("connection", () => connection(world));
describe("diagram", () => diagram(world));
describe("docs", () => docs(world));
describe("looks", () => looks(world));
