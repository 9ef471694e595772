import assert from "node:assert/strict";
import { test } from "node:test";
import { rolesWith } from "../../../../core/api/management-roles.ts";
import { DATABASE_VERSIONS, type ActiveActiveRecord, type ClusterStateRecord } from "../../../../core/api/records.ts";
import { usableRecords } from "../../../../core/planner/active-active/record.ts";
import { routes } from "../../../../ports/management/routes.ts";
import { putActiveActive } from "./active-active.ts";
import { bodiesFor } from "../http/bodies.ts";

const RECORD: ActiveActiveRecord = {
  guid: "g",
  name: "shared",
  version: "8.0",
  participants: [{ name: "a" }, { name: "b" }],
  configuration: { memorySize: "1GB" },
  edit: { count: 7, author: "a" },
};
const STATE: ClusterStateRecord = {
  createdTime: "x",
  nextDatabase: 1,
  maintenance: [],
  finished: [],
  activeActives: [RECORD],
};

function nested(levels: number): unknown {
  return JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
}

test("no user but an administrator decides for all participants", () => {
  assert.equal(routes.putCrdb.auth, "update_crdb");
  assert.deepEqual(rolesWith(routes.putCrdb.auth), ["admin"]);
});

for (const [rule, levels, isAccepted] of [
  ["as a spec has it", 4, true],
  ["that is deep", 8, false],
  ["that is too deep for any stack", 300_000, false],
] as const)
  test(`a configuration ${rule} is ${isAccepted ? "accepted" : "refused"}`, () => {
    const parse = () =>
      bodiesFor(DATABASE_VERSIONS).parse("putCrdb", { ...RECORD, configuration: { x: nested(levels) } });
    if (isAccepted) assert.equal(parse().guid, RECORD.guid);
    else assert.throws(parse, { code: "AGENT_BAD_REQUEST", message: /^configuration: must be at most 8 levels deep/ });
  });

for (const [rule, edit, isAccepted] of [
  ["the next edit", { count: 8, author: "b" }, true],
  ["an edit of a participant that was away for long", { count: 90_000, author: "b" }, true],
  ["an edit that leaves no number for later ones", { count: Number.MAX_SAFE_INTEGER, author: "zzz" }, false],
] as const)
  test(`${rule} is ${isAccepted ? "accepted" : "refused"}`, async () => {
    let state: ClusterStateRecord = STATE;
    const records = {
      changeState: async (change: (old: ClusterStateRecord) => ClusterStateRecord) => (state = change(state)),
    };
    const put = putActiveActive(records, "g", { ...RECORD, edit });
    if (isAccepted) assert.deepEqual((await put).edit, edit);
    else await assert.rejects(put, { code: "AGENT_BAD_REQUEST", message: /^edit.count: must be at most 100007/ });
  });

test("a number of a site that leaves none for later ones is refused", async () => {
  const records = { changeState: async (change: (old: ClusterStateRecord) => ClusterStateRecord) => change(STATE) };
  const put = (next: number) =>
    putActiveActive(records, "g", { ...RECORD, numbers: { next, given: [], edit: RECORD.edit } });
  await assert.rejects(put(Number.MAX_SAFE_INTEGER), {
    code: "AGENT_BAD_REQUEST",
    message: /^numbers.next: must be at most 100000/,
  });
  assert.equal((await put(64)).numbers?.next, 64);
});

test("a record that is too deep to be shown leaves the others in the answer", () => {
  const deep = { ...RECORD, guid: "d", configuration: { x: nested(4_000) } };
  assert.deepEqual(usableRecords([deep, RECORD]), [RECORD]);
});
