import assert from "node:assert/strict";
import { test } from "node:test";
import { nextOverlapEnd, withoutEnded, withPasswordChange } from "./passwords.ts";
import type { PasswordChange, PasswordRefusal, PasswordSet } from "./passwords.ts";

const NOON = "2026-11-22T12:00:00.000Z";
const LATER = "2026-11-22T12:05:00.000Z";
const only = (password: string): PasswordSet => ({ password, others: [] });
const many = { password: "a", others: Array.from({ length: 16 }, (_, n) => ({ password: `p${n}` })) };

const changes: readonly (readonly [
  rule: string,
  set: PasswordSet,
  change: PasswordChange,
  after: PasswordSet | PasswordRefusal,
])[] = [
  [
    "the former one is accepted until the overlap ends",
    only("a"),
    { kind: "change", password: "b" },
    { password: "b", others: [{ password: "a", until: LATER }] },
  ],
  ["the same one again changes nothing", only("a"), { kind: "change", password: "a" }, only("a")],
  [
    "back to the former one before the overlap ends",
    { password: "b", others: [{ password: "a", until: NOON }] },
    { kind: "change", password: "a" },
    { password: "a", others: [{ password: "b", until: LATER }] },
  ],
  [
    "a second change does not lengthen the first overlap",
    { password: "b", others: [{ password: "a", until: NOON }] },
    { kind: "change", password: "c" },
    {
      password: "c",
      others: [
        { password: "a", until: NOON },
        { password: "b", until: LATER },
      ],
    },
  ],
  [
    "an added one stays when the current one changes",
    { password: "a", others: [{ password: "x" }] },
    { kind: "change", password: "b" },
    { password: "b", others: [{ password: "x" }, { password: "a", until: LATER }] },
  ],
  [
    "replacing ends the added ones too",
    { password: "a", others: [{ password: "x" }] },
    { kind: "replace", password: "b" },
    {
      password: "b",
      others: [
        { until: LATER, password: "x" },
        { password: "a", until: LATER },
      ],
    },
  ],
  [
    "replacing by the current one ends the added ones",
    { password: "a", others: [{ password: "x" }] },
    { kind: "replace", password: "a" },
    { password: "a", others: [{ until: LATER, password: "x" }] },
  ],
  [
    "from none to one",
    only(""),
    { kind: "change", password: "a" },
    { password: "a", others: [{ password: "", until: LATER }] },
  ],
  ["one is added", only("a"), { kind: "add", password: "x" }, { password: "a", others: [{ password: "x" }] }],
  ["the current one is there already", only("a"), { kind: "add", password: "a" }, only("a")],
  [
    "adding one whose overlap runs keeps it",
    { password: "b", others: [{ password: "a", until: NOON }] },
    { kind: "add", password: "a" },
    { password: "b", others: [{ password: "a" }] },
  ],
  ["too many", many, { kind: "add", password: "x" }, "too many"],
  [
    "removing ends an overlap at once",
    { password: "b", others: [{ password: "a", until: LATER }] },
    { kind: "remove", password: "a" },
    only("b"),
  ],
  [
    "an added one follows a current one that is removed",
    { password: "a", others: [{ password: "x" }] },
    { kind: "remove", password: "a" },
    only("x"),
  ],
  [
    "one whose overlap runs does not follow",
    { password: "b", others: [{ password: "a", until: LATER }] },
    { kind: "remove", password: "b" },
    "the only one",
  ],
  ["the only one stays", only("a"), { kind: "remove", password: "a" }, "the only one"],
  ["one that is not there", only("a"), { kind: "remove", password: "x" }, "not there"],
];
for (const [rule, set, change, after] of changes)
  test(`passwords: ${rule}`, () => {
    assert.deepEqual(withPasswordChange(set, change, LATER), after);
  });

test("passwords: an unchanged set is the set itself", () => {
  const set = { password: "a", others: [{ password: "x" }] };
  for (const kind of ["change", "add"] as const) {
    const password = kind === "change" ? "a" : "x";
    assert.equal(withPasswordChange(set, { kind, password }, LATER), set);
  }
});

test("passwords: those whose time has come go, and those that were added stay", () => {
  const set = {
    password: "c",
    others: [{ password: "x" }, { password: "a", until: NOON }, { password: "b", until: LATER }],
  };
  assert.equal(nextOverlapEnd(set), NOON);
  assert.equal(withoutEnded(set, "2026-11-22T11:59:59.999Z"), set);
  const next = withoutEnded(set, NOON);
  assert.deepEqual(next, { password: "c", others: [{ password: "x" }, { password: "b", until: LATER }] });
  assert.equal(nextOverlapEnd(next), LATER);
  assert.equal(nextOverlapEnd({ password: "c", others: [{ password: "x" }] }), undefined);
});
