import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { coverage } from "../../scripts/generated-specification.ts";
import { HOUSE_MUTATIONS } from "../../scripts/mutations/house.ts";
import { SHARD_MUTATIONS } from "../../scripts/mutations/shards.ts";
import { MUTATIONS } from "../../scripts/mutations/table.ts";

const proofs = coverage();

for (const { rule, file, from, to, test: runs } of MUTATIONS) {
  test(`${rule}: the edit that removes it fits, and its test claims it`, () => {
    assert.equal(readFileSync(file, "utf8").split(from).length, 2, `${file} has not exactly once: ${from}`);
    assert.notEqual(to, from);
    assert.ok(
      proofs.get(rule)?.some((proof) => proof.runs.includes(runs)),
      `${runs} does not claim it`,
    );
  });
}

for (const { rule, removes, file, from, to, test: runs } of [...HOUSE_MUTATIONS, ...SHARD_MUTATIONS]) {
  test(`${rule}: the edit by which ${removes} fits`, () => {
    assert.equal(readFileSync(file, "utf8").split(from).length, 2, `${file} has not exactly once: ${from}`);
    assert.notEqual(to, from);
    assert.ok(existsSync(runs), runs);
  });
}

test("docs/testing.md has each trap of several shards, with the test that fails without its guard", () => {
  const page = readFileSync("docs/testing.md", "utf8");
  const missing = SHARD_MUTATIONS.filter(({ rule, removes, test: runs }) => {
    const row = `| ${rule.replace("several shards: ", "")} | `;
    return !page.split("\n").some((line) => line.startsWith(row) && line.includes(removes) && line.includes(runs));
  });
  assert.deepEqual(missing, []);
});

test("every section of the contract with rules has a sample", () => {
  const sections = (names: Iterable<string>) => [...new Set([...names].map((name) => name[1]))].toSorted();
  assert.deepEqual(sections(MUTATIONS.map(({ rule }) => rule)), sections(proofs.keys()));
});
