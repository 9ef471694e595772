import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../test/kit/facts/database-scene.ts";
import type { ActiveActiveRecord, DatabaseRecord, RemoteSite } from "../../api/records.ts";
import { databaseSpec } from "../../api/database-spec.ts";
import { settingsOfSpec } from "../../api/settings/values.ts";
import { numberSites } from "./numbers.ts";
import { activeActiveTasks, type TaskFacts } from "./tasks.ts";

const configuration = { memorySize: "200MB" };
const record: ActiveActiveRecord = numberSites({
  guid: "a",
  name: "carts",
  version: "8.0",
  configuration,
  participants: [{ name: "east" }, { name: "west" }],
  edit: { count: 1, author: "east" },
});
const edited = numberSites({ ...record, edit: { count: 2, author: "west" } });
const later = numberSites({
  ...record,
  participants: [...record.participants, { name: "north" }],
  edit: { count: 2, author: "east" },
});
const remoteSites: readonly RemoteSite[] = ["east", "west", "north"].map((name) => ({
  name,
  host: `${name}.example.com`,
  serverName: name,
  authorities: "",
  ...(name === "east" ? { local: true } : {}),
}));
const state = { activeActives: [record], remoteSites };
const applied: DatabaseRecord = {
  ...factsOf({ instances: [on(1, 1, "8.0")] }).record,
  ...settingsOfSpec(databaseSpec.parse(configuration)),
  storeVersion: "8.0",
  activeActive: { guid: "a", site: 1 },
};
const last = { ...applied, awaitsSites: true } as const;
const link = {
  cause: "",
  awaitsSites: true,
  sites: [{ name: "west", state: "down", since: undefined, cause: "no answer" }] as const,
};

const cases: readonly (readonly [rule: string, change: Partial<TaskFacts>, tasks: readonly (string | RegExp)[]])[] = [
  ["the first edit makes it", {}, ["a.edit.1.east create_crdb finished: ", "a.version.8.0 upgrade_crdb finished: "]],
  [
    "a later edit changes it, and the one before is there no more",
    { record: edited },
    ["a.edit.2.west update_crdb finished: ", /./],
  ],
  [
    "a participant without the database has not begun",
    { database: undefined },
    [/create_crdb queued: no database/, /upgrade_crdb queued: no database/],
  ],
  [
    "an edit is under way until each setting is applied, and names those that are not",
    { database: { ...applied, memoryBytes: 1, replication: !applied.replication } },
    [/create_crdb started: .*memory_size, replication$/, /finished/],
  ],
  [
    "an edit is under way until the links can find every site",
    { state: { ...state, remoteSites: remoteSites.slice(0, 1) } },
    [/create_crdb started: .*these sites are: west$/, /finished/],
  ],
  [
    "a version that has not begun is queued",
    { database: { ...applied, storeVersion: "7.4" } },
    [/finished/, /upgrade_crdb queued: .*has 7\.4; its operator knows .*: kubectl describe reaadb carts$/],
  ],
  [
    "a version that waits says for what",
    { database: { ...applied, storeVersion: "7.4", waitingFor: "node 2 is away" } },
    [/finished/, /has 7\.4: node 2 is away$/],
  ],
  [
    "a higher version than the one that is asked for is good too",
    { database: { ...applied, storeVersion: "8.2" } },
    [/finished/, /finished/],
  ],
  [
    "a site that has lost all joins again, and says what is missing",
    { database: last, link },
    [/./, /./, /^a\.join\.1 join_crdb started: .*"west" is down: no answer/],
  ],
  [
    "a site that came later has joined once its clients are let in",
    {
      record: later,
      state: { ...state, activeActives: [later] },
      database: { ...applied, activeActive: { guid: "a", site: 3 } },
    },
    [/./, /./, "a.join.3 join_crdb finished: "],
  ],
  [
    "a deletion is under way while the database is there",
    { record: { ...record, deleted: true } },
    [/^a\.delete delete_crdb started: .*still there$/],
  ],
  [
    "and finished without it",
    { record: { ...record, deleted: true }, database: undefined },
    ["a.delete delete_crdb finished: "],
  ],
  ["a cluster that takes part no more has none", { record: { ...record, participants: [{ name: "west" }] } }, []],
  [
    "one that does not know which site it is has them all the same",
    { state: { activeActives: [record] } },
    [/create_crdb started: .*: west$/, /finished/],
  ],
];

for (const [rule, change, expected] of cases) {
  test(`tasks: ${rule}`, () => {
    const tasks = activeActiveTasks({ state, record, database: applied, link: undefined, ...change });
    const texts = tasks.map(({ id, operation, status, waitingFor }) => `${id} ${operation} ${status}: ${waitingFor}`);
    assert.equal(texts.length, expected.length, texts.join("\n"));
    for (const [index, claim] of expected.entries()) {
      if (typeof claim === "string") assert.equal(texts[index], claim);
      else assert.match(texts[index] ?? "", claim);
    }
  });
}
