import assert from "node:assert/strict";
import { test } from "node:test";
import { missingRecords, type KeepingNode, type KeptRecord } from "./missing-record.ts";

const kept = (change: Partial<KeptRecord> = {}): KeptRecord => ({
  bdb: 7,
  name: "orders",
  created: "2026-01-01T00:00:00.000Z",
  version: "90",
  digest: "a",
  since: "2026-02-01T00:00:00.000Z",
  ...change,
});

const node = (uid: number, ...all: readonly KeptRecord[]): KeepingNode => ({ uid, setAside: [7], kept: all });
const forged = kept({ digest: "b" });

const cases: readonly [rule: string, nodes: readonly KeepingNode[], says: readonly string[], asked?: number][] = [
  ["no node misses a record", [node(1), node(2), node(3)], []],
  ["all nodes keep the same", [node(1, kept()), node(2, kept()), node(3, kept())], ["7 a of 1,2,3"]],
  ["a node that keeps nothing stops nothing", [node(1, kept()), node(2, kept()), node(3)], ["7 a of 1,2"]],
  [
    "a node that was away keeps an older one",
    [node(1, kept()), node(2, kept()), node(3, kept({ version: "9", digest: "o" }))],
    ["7 a of 1,2"],
  ],
  [
    "most nodes were away: an older record is never taken for the last",
    [node(1, kept()), node(2, kept({ version: "9", digest: "o" })), node(3, kept({ version: "9", digest: "o" }))],
    ["7 a of 1: of 3 nodes only node 1 keeps the last record that is known, and more than half must"],
  ],
  ["one node that forges has no majority", [node(1, kept()), node(2, kept()), node(3, forged)], ["7 a of 1,2"]],
  ["nor has the first one", [node(1, forged), node(2, kept()), node(3, kept())], ["7 a of 2,3"]],
  [
    "one node that forges a later one is not followed",
    [node(1, kept()), node(2, kept()), node(3, kept({ version: "99999", digest: "b" }))],
    ["7 b of 3: of 3 nodes only node 3 keeps the last record that is known, and more than half must"],
  ],
  [
    "half of the nodes are not most",
    [node(1, kept()), node(2)],
    ["7 a of 1: of 2 nodes only node 1 keeps the last record that is known, and more than half must"],
  ],
  [
    "a node of which nothing is known is a node",
    [node(1, kept())],
    ["7 a of 1: of 3 nodes only node 1 keeps the last record that is known, and more than half must"],
    3,
  ],
  [
    "the number of a node shows that those before it are nodes",
    [node(4, kept()), node(5, kept())],
    ["7 a of 4,5: of 5 nodes only node 4 and node 5 keep the last record that is known, and more than half must"],
  ],
  ["more than half of all that are asked for is enough", [node(1, kept()), node(2, kept())], ["7 a of 1,2"], 3],
  ["the only node is all", [node(1, kept())], ["7 a of 1"]],
  [
    "the same text of another database does not count",
    [node(1, kept()), node(2, kept({ created: "later" }))],
    ["7 a of 1: of 2 nodes only node 1 keeps the last record that is known, and more than half must"],
  ],
  ["without data there is nothing to put back for", [{ uid: 1, setAside: [8], kept: [kept()] }], []],
  [
    "data on another node is enough",
    [node(1), { uid: 2, setAside: [], kept: [kept()] }, { uid: 3, setAside: [], kept: [kept()] }],
    ["7 a of 2,3"],
  ],
];

for (const [rule, nodes, says, asked = 0] of cases)
  test(rule, () => {
    const text = missingRecords(nodes, asked).map(
      ({ bdb, digest, nodes: holders, doubt }) =>
        `${bdb} ${digest} of ${holders.join()}${doubt === undefined ? "" : `: ${doubt}`}`,
    );
    assert.deepEqual(text, says);
  });
