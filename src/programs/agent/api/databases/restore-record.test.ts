import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../../test/kit/facts/database-scene.ts";
import type { ClusterStateRecord, DatabaseRecord } from "../../../../core/api/records.ts";
import { Fault } from "#kit/base/fault";
import { digestOf } from "../../node/kept-records.ts";
import { keptRecord, putRecordBack, type RestoreContext } from "./restore-record.ts";

const { record } = factsOf({ instances: [on(1, 1), on(2, 2)] });
const TEXT = JSON.stringify(record);
const OTHERS = JSON.stringify({ ...record, uid: record.uid + 10 });
const FORGED = JSON.stringify({ ...record, memoryBytes: 1 });

interface Scene {
  /** What each node has reported of the record; undefined: nothing. */
  readonly reported?: readonly (string | undefined)[];
  /** What each node gives when it is asked. */
  readonly given?: readonly (string | undefined)[];
  readonly databases?: readonly DatabaseRecord[];
  readonly deleted?: ClusterStateRecord["deleted"];
  readonly maintenance?: readonly { readonly node: number }[];
  readonly voters?: readonly number[];
}

const ALL = [TEXT, TEXT, TEXT];

/** The first node of a cluster of three is asked to put the record back. */
function scene({ reported = ALL, given = reported, databases = [], deleted = [], ...named }: Scene) {
  const { maintenance = [], voters = [] } = named;
  const written: DatabaseRecord[] = [];
  const asked: number[] = [];
  const textOf = (node: number): string | undefined => given[node - 1];
  const members = reported.map((text, index) => {
    const { uid: bdb, name, createdTime: created } = record;
    const kept = text === undefined ? [] : [{ bdb, name, created, version: "90", digest: digestOf(text), since: "" }];
    const setAside = [{ bdb }];
    return { uid: index + 1, report: { setAside, missingRecords: kept, voters } };
  });
  const context = {
    config: { node: 1, cluster: "rec" },
    log: { warn: () => {} },
    members: { list: () => members },
    records: {
      state: () => ({ deleted, maintenance }),
      databases: () => databases,
      database: (uid: number) => databases.find((one) => one.uid === uid),
      reload: async () => {},
      createDatabase: async (made: DatabaseRecord) => void written.push(made),
    },
    keptRecords: { textOf: () => textOf(1) },
    peers: {
      forward: async (node: number) => {
        asked.push(node);
        const text = textOf(node);
        if (text === undefined) throw new Error("it does not answer");
        return { record: text };
      },
    },
  } as unknown as RestoreContext; // these are all that the request uses
  return { restore: () => putRecordBack(context, record.uid), written, asked, context };
}

test("exactly the record that most nodes keep is put back", async () => {
  const { restore, written, asked } = scene({});
  assert.deepEqual(await restore(), record);
  assert.deepEqual([written, asked], [[record], []]);
});

test("a leader that was away asks a node that keeps it, and the next one when that does not give it", async () => {
  const first = scene({ reported: [undefined, TEXT, TEXT] });
  await first.restore();
  assert.deepEqual([first.written, first.asked], [[record], [2]]);
  const next = scene({ reported: [undefined, TEXT, TEXT], given: [undefined, FORGED, TEXT] });
  await next.restore();
  assert.deepEqual([next.written, next.asked], [[record], [2, 3]]);
});

test("what is there is left as it is", async () => {
  const there = { ...record, memoryBytes: 5 };
  const { restore, written } = scene({ databases: [there] });
  assert.deepEqual(await restore(), there);
  assert.deepEqual(written, []);
});

const elsewhere = { ...record, uid: 50, name: "other", port: record.port + 1, shards: [] };
const onNodeFive = { ...elsewhere, shards: factsOf({ instances: [on(1, 5)] }).record.shards };
const { uid, createdTime } = record;

const refusals: readonly [rule: string, scene: Scene, code: string][] = [
  ["no node keeps", { reported: [undefined, undefined, undefined] }, "AGENT_NO_SUCH_RECORD"],
  ["only one node keeps", { reported: [TEXT, undefined, undefined] }, "AGENT_RECORD_UNCERTAIN"],
  ["nodes keep in different forms", { reported: [TEXT, FORGED, undefined] }, "AGENT_RECORD_UNCERTAIN"],
  [
    "more than half of the nodes with a Lease keep, but not of those that votes name",
    { reported: [TEXT, TEXT], voters: [1, 2, 4] },
    "AGENT_RECORD_UNCERTAIN",
  ],
  [
    "more than half of the nodes with a Lease keep, but not of those that are left",
    { reported: [TEXT, TEXT], maintenance: [{ node: 5 }] },
    "AGENT_RECORD_UNCERTAIN",
  ],
  [
    "more than half of the nodes with a Lease keep, but not of those with instances",
    { reported: [TEXT, TEXT], databases: [onNodeFive] },
    "AGENT_RECORD_UNCERTAIN",
  ],
  [
    "most nodes keep under the number of another database",
    { reported: [OTHERS, OTHERS, OTHERS] },
    "AGENT_RECORD_UNCERTAIN",
  ],
  ["no node gives as it has reported it", { given: [FORGED, FORGED, undefined] }, "AGENT_RECORD_UNCERTAIN"],
  ["was deleted", { deleted: [{ uid, createdTime, at: "" }] }, "AGENT_NO_SUCH_RECORD"],
  ["has lost its name", { databases: [{ ...elsewhere, name: record.name }] }, "AGENT_NAME_TAKEN"],
  ["has lost its port", { databases: [{ ...elsewhere, port: record.port }] }, "AGENT_PORT_UNAVAILABLE"],
  ["has lost a port of an engine", { databases: [{ ...elsewhere, shards: record.shards }] }, "AGENT_PORT_UNAVAILABLE"],
];

for (const [rule, given, code] of refusals)
  test(`a record is not put back that ${rule}`, async () => {
    const { restore, written } = scene(given);
    await assert.rejects(restore(), (error) => error instanceof Fault && error.code === code);
    assert.deepEqual(written, []);
  });

test("a node gives what it keeps, and says so when it keeps nothing", () => {
  assert.deepEqual(keptRecord(scene({}).context, uid), { record: TEXT });
  const none = scene({ given: [undefined, TEXT, TEXT] });
  assert.throws(() => keptRecord(none.context, uid), /keeps no record of a database/);
});
