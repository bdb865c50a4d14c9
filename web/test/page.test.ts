// The real page in a real browser, against braid dev.

import { describe } from "node:test";
import { transactions } from "./transactions";
import { amounts } from "./amounts";
import { environment } from "./checks";
import { connection } from "./connection";
import { diagram } from "./diagram";
import { docs } from "./docs";
import { impact } from "./impact";
import { appearance } from "./appearance";
import { market } from "./market";
import { confirmation } from "./confirmation";
import { picker } from "./picker";
import { resilience } from "./resilience";
import { screenshotStates } from "./screenshots";
import { formStates } from "./formstates";
import { swaps } from "./swaps";
import { traffic } from "./traffic";
import { failures } from "./failures";

describe("swap", () => swaps(environment));
describe("amount", () => amounts(environment));
describe("money", () => confirmation(environment));
describe("transactions", () => transactions(environment));
describe("tokens", () => picker(environment));
describe("impact", () => impact(environment));
describe("form", () => formStates(environment));
describe("trouble", () => failures(environment));
describe("market", () => market(environment));
describe("connection", () => connection(environment));
describe("diagram", () => diagram(environment));
describe("resilience", () => resilience(environment));
describe("traffic", () => traffic(environment));
describe("docs", () => docs(environment));
describe("looks", () => appearance(environment));
describe("screens", () => screenshotStates(environment));
