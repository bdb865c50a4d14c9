// Browser tests of the page, against braid dev.

import { describe } from "node:test";
import { amounts } from "./amounts";
import { appearance } from "./appearance";
import { environment } from "./checks";
import { confirmation } from "./confirmation";
import { connection } from "./connection";
import { diagram } from "./diagram";
import { docs } from "./docs";
import { failures } from "./failures";
import { formStates } from "./formstates";
import { impact } from "./impact";
import { market } from "./market";
import { picker } from "./picker";
import { resilience } from "./resilience";
import { screenshotStates } from "./screenshots";
import { swaps } from "./swaps";
import { traffic } from "./traffic";
import { transactions } from "./transactions";

describe("swap", () => swaps(environment));
describe("amount", () => amounts(environment));
describe("confirmation", () => confirmation(environment));
describe("transactions", () => transactions(environment));
describe("picker", () => picker(environment));
describe("impact", () => impact(environment));
describe("form states", () => formStates(environment));
describe("failures", () => failures(environment));
describe("market", () => market(environment));
describe("connection", () => connection(environment));
describe("diagram", () => diagram(environment));
describe("resilience", () => resilience(environment));
describe("traffic", () => traffic(environment));
describe("docs", () => docs(environment));
describe("appearance", () => appearance(environment));
describe("screenshots", () => screenshotStates(environment));
