import assert from "node:assert/strict";
import { test } from "node:test";
import { watchStatement, desiredWatch } from "./watched-namespaces.ts";

const cases: readonly {
  readonly rule: string;
  readonly data: Readonly<Record<string, string>>;
  readonly names?: readonly string[];
  readonly label?: string;
  readonly says?: RegExp;
}[] = [
  { rule: "without a ConfigMap only the operator's own namespace is managed", data: {} },
  { rule: "names stand between commas", data: { REDB_NAMESPACES: "team-a, team-b" }, names: ["team-a", "team-b"] },
  { rule: "an empty list asks for none", data: { REDB_NAMESPACES: " , " } },
  {
    rule: "the operator's own namespace is not named twice",
    data: { REDB_NAMESPACES: "store,team-a,team-a" },
    names: ["team-a"],
  },
  {
    rule: "a text that is no name is reported, and the other namespaces are managed",
    data: { REDB_NAMESPACES: "Team_A,team-b" },
    names: ["team-b"],
    says: /REDB_NAMESPACES: "Team_A" is no name of a namespace/,
  },
  { rule: "a label asks for each namespace that has it", data: { REDB_NAMESPACES_LABEL: "store" }, label: "store" },
  {
    rule: "a selector is no name of a label",
    data: { REDB_NAMESPACES_LABEL: "store=yes" },
    says: /REDB_NAMESPACES_LABEL: "store=yes" is no name of a label/,
  },
  {
    rule: "more than a hundred are too many for one operator",
    data: { REDB_NAMESPACES: Array.from({ length: 101 }, (_, index) => `n${index}`).join(",") },
    names: Array.from({ length: 100 }, (_, index) => `n${index}`),
    says: /101 namespaces are listed/,
  },
];

for (const { rule, data, names = [], label, says } of cases) {
  test(rule, () => {
    const desired = desiredWatch(data, "store");
    assert.deepEqual([desired.names, desired.label], [names, label]);
    if (says === undefined) assert.deepEqual(desired.findings, []);
    else assert.match(desired.findings[0]?.evidence ?? "", says);
  });
}

test("the status of a cluster has no condition on further namespaces while none is configured", () => {
  assert.equal(watchStatement([], []), undefined);
});

test("what is wrong in one namespace stands before what is right in the others", () => {
  const findings = desiredWatch({ REDB_NAMESPACES: "A" }, "store").findings;
  const { status, reason, message } = watchStatement(["team-b"], findings) ?? {};
  assert.deepEqual([status, reason], ["False", "WatchedNamespacesWrong"]);
  assert.match(message ?? "", /remedy: kubectl edit configmap operator-environment-config -n store/);
});
