import assert from "node:assert/strict";
import { test } from "node:test";
import { evenSlots } from "../slots/shard-slots.ts";
import { countedKeys, isOfSameDatabase, manifestOf, readManifest, type ManifestFacts } from "./manifest.ts";

const FACTS: ManifestFacts = {
  name: "nightly",
  database: {
    cluster: "rec",
    namespace: "store",
    uid: 3,
    name: "orders",
    createdTime: "2026-11-01T00:00:00.000Z",
    storeVersion: "7.2",
  },
  began: "2026-11-30T01:00:00.000Z",
  ended: "2026-11-30T01:00:09.000Z",
  files: [file(1, 11), file(2, 12)],
};

test("what is written is what is read, and the latest format of its files says who reads all", () => {
  const manifest = manifestOf(FACTS);
  assert.deepEqual(manifest.readableFrom, [{ family: "redis", version: "7.4" }]);
  assert.deepEqual(readManifest(JSON.stringify(manifest)), manifest);
});

for (const [rule, change, refusal] of [
  ["no JSON", () => "{", /it is no JSON/],
  ["something else", () => "[]", /it is no manifest/],
  ["a later format", (text) => text.replace('"format":1', '"format":2'), /a later release wrote it, in format 2/],
  ["a file outside its backup", (text) => text.replace("a1/shard-1.rdb", "../a1/shard-1.rdb"), /^files\.0\.file: /],
  ["no files", () => JSON.stringify({ ...manifestOf(FACTS), files: [] }), /^files: /],
  ["a member that is not known", (text) => text.replace('"name":"nightly"', '"name":"nightly","x":1'), /x/],
  ["half of it", (text) => text.slice(0, text.length / 2), /it is no JSON/],
  ["an object that is the folder above", (text) => text.replace("a1/shard-1.rdb", "a1/.."), /^files\.0\.file: /],
  ["two files that are one object", (text) => text.replace("a1/shard-1.rdb", "a1/shard-2.rdb"), /the same object/],
  ["two files of one shard", (text) => text.replace('"shard":1', '"shard":2'), /the same shard/],
  ["two files with one slot", (text) => text.replace('"to":8191', '"to":8192'), /^files: slot 8192 is named twice$/],
  ["a slot that no file has", (text) => text.replace('"to":8191', '"to":8190'), /^files: no shard has slot 8191$/],
  ["a range that ends before it begins", (text) => text.replace('"from":0', '"from":8192'), /is no list of slots/],
  [
    "more keys than can be added up",
    (text) => text.replace('"keys":1', '"keys":9007199254740991'),
    /^files\.0\.keys: /,
  ],
  [
    "a namespace that is a command",
    (text) => text.replace('"namespace":"store"', '"namespace":"$(reboot)"'),
    /^database\.namespace: /,
  ],
  [
    "a name that would write over the line of a terminal",
    (text) => text.replace('"name":"orders"', String.raw`"name":"a\u001b[2K"`),
    /^database\.name: has control characters$/,
  ],
  [
    "a member whose name is long and no text",
    (text) => text.replace('"cut":', String.raw`"${"\u0007".repeat(9_000)}":1,"cut":`),
    /^[ -~]{1,1200}$/,
  ],
  ["a digest of another length", (text) => text.replace("f".repeat(64), "f"), /^files\.0\.sha256: /],
] as const satisfies readonly (readonly [string, (text: string) => string, RegExp])[])
  test(`a manifest is refused with what is wrong: ${rule}`, () => {
    const read = readManifest(change(JSON.stringify(manifestOf(FACTS))));
    assert.match("refusal" in read ? read.refusal : "", refusal);
  });

for (const [rule, change, isSame] of [
  ["its name or version may have changed", { name: "others", storeVersion: "8.0" }, true],
  ["another one that was made with its number", { createdTime: "2026-11-02T00:00:00.000Z" }, false],
  ["one of another cluster", { cluster: "other" }, false],
  ["one of another namespace", { namespace: "other" }, false],
] as const)
  test(`${isSame ? "the same" : "another"} database: ${rule}`, () => {
    assert.equal(isOfSameDatabase(FACTS.database, { ...FACTS.database, ...change }), isSame);
  });

test("keys are counted where each file says how many it has", () => {
  assert.deepEqual(
    [countedKeys([{ keys: 2 }, { keys: 3 }]), countedKeys([{ keys: 2 }, {}]), countedKeys([])],
    [5, undefined, 0],
  );
});

function file(shard: number, rdb: number): ManifestFacts["files"][number] {
  return {
    shard,
    slots: [...(evenSlots(2)[shard - 1] ?? [])],
    file: `a1/shard-${shard}.rdb`,
    bytes: 100,
    memory: 1_000,
    sha256: "f".repeat(64),
    keys: 1,
    rdb,
    engine: { family: "redis", version: "7.2.4" },
    role: "replica",
    replicationId: "e".repeat(40),
    offset: 14,
    at: "2026-11-30T01:00:01.000Z",
  };
}
