import assert from "node:assert/strict";
import { test } from "node:test";
import { namespaceOptionsLast } from "./options-last.ts";

const cases: readonly [given: string, taken: string][] = [
  ["status", "status"],
  ["-n a status", "status -n a"],
  ["--context b -n a nodes rec -o json", "nodes rec -o json -n a --context b"],
  ["--namespace=a --kubeconfig=f why redb", "why redb --kubeconfig=f --namespace=a"],
  ["status -n a", "status -n a"],
  ["-n a", "-n a"],
  ["--help", "--help"],
  ["", ""],
];

for (const [given, taken] of cases) {
  test(`storectl ${given} is read as storectl ${taken}`, () => {
    assert.equal(namespaceOptionsLast(given.split(" ")).join(" "), taken);
  });
}
