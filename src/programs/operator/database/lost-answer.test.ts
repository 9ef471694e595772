import assert from "node:assert/strict";
import { test } from "node:test";
import { available } from "./availability.ts";
import { lostAnswer } from "./lost-answer.ts";

const NOW = new Date("2026-01-01T00:01:00Z");
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000).toISOString();

const cases: readonly [rule: string, status: Parameters<typeof lostAnswer>[0], says: string][] = [
  ["a database that was never made has none", { unansweredSince: ago(60) }, ""],
  ["the last answer counts for as long as a failover takes", { databaseUID: "1", unansweredSince: ago(19) }, ""],
  ["after that nothing is known", { databaseUID: "1", unansweredSince: ago(20) }, "Unknown Unanswered"],
  ["a cluster that answers and does not have it", { databaseUID: "1" }, "False NotThere"],
];

for (const [rule, status, says] of cases) {
  test(`what is known of a database: ${rule}`, () => {
    const said = available(undefined, lostAnswer(status, "no node answers", NOW));
    assert.equal(said.map((statement) => `${statement.status} ${statement.reason}`).join(), says);
  });
}
