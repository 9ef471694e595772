import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding } from "../../api/parts.ts";
import { findingChanges } from "./changes.ts";
import { block, wait, warn } from "./finding.ts";

const expired = block("LicenseInvalid", "the licence ended yesterday", "install a licence");
const old = (name: string) => block("IncompatibleDatabaseVersion", `database ${name} is at 6.2`, "upgrade it");
const draining = (left: number) => wait("QuorumAtRisk", `${left} of 3 nodes answer`, "wait for them");

const cases: readonly {
  readonly name: string;
  readonly before: readonly Finding[];
  readonly after: readonly Finding[];
  readonly began?: readonly Finding[];
  readonly ended?: readonly Finding[];
}[] = [
  { name: "one that stays is no change", before: [expired], after: [expired] },
  { name: "a new one begins", before: [], after: [expired], began: [expired] },
  { name: "one that is gone has ended", before: [expired, old("a")], after: [old("a")], ended: [expired] },
  { name: "one that waits stays the same with other values", before: [draining(1)], after: [draining(2)] },
  { name: "another one begins with other evidence", before: [old("a")], after: [old("b")], began: [old("b")] },
  {
    name: "of two with one id, the one that is gone has ended",
    before: [old("a"), old("b")],
    after: [old("b")],
    ended: [old("a")],
  },
  {
    name: "one begins beside another with its id",
    before: [old("a")],
    after: [old("a"), old("b")],
    began: [old("b")],
  },
  {
    name: "one that warned and blocks now begins anew, also with the same evidence",
    before: [warn("UserModuleInvalid", "tally is no archive", "correct it")],
    after: [block("UserModuleInvalid", "tally is no archive", "correct it; the upgrade then continues")],
    began: [block("UserModuleInvalid", "tally is no archive", "correct it; the upgrade then continues")],
  },
  {
    name: "one that blocks no longer and is worth a note instead begins anew",
    before: [block("LicenseEndsSoon", "in an hour", "install a licence")],
    after: [warn("LicenseEndsSoon", "in a day", "install a licence")],
    began: [warn("LicenseEndsSoon", "in a day", "install a licence")],
  },
];

for (const { name, before, after, began = [], ended = [] } of cases) {
  test(`findings: ${name}`, () => {
    assert.deepEqual(findingChanges(before, after), { began, ended });
  });
}
