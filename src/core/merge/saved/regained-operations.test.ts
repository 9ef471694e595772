import assert from "node:assert/strict";
import { test } from "node:test";
import { withBytes, type CodedOperation } from "../operations/operation-codec.ts";
import type { Effect } from "../operations/operation.ts";
import { NOTHING, vectorOf, type VersionVector } from "../operations/version-vector.ts";
import { Site } from "../site.ts";
import { RegainedOperations, operationsOf } from "./regained-operations.ts";

const add = (key: string, amount = 1): Effect => ({
  kind: "add",
  type: "string",
  key,
  element: "",
  amount: BigInt(amount),
});
const put = (key: string): Effect => ({ kind: "put", type: "list", key, element: "", value: ["a"] });
const text = (value: string): Effect => ({ kind: "put", type: "string", key: "s", element: "", value });

/** Site 1 has origins 1, and 65 since it began anew. */
function own(seq: number, effects: readonly Effect[], origin = 1): CodedOperation {
  return withBytes({ dot: { origin, seq }, at: { wall: seq, count: 0, site: origin }, seen: NOTHING, effects });
}

/** What is read once more, and the keys of it that have to be read first. */
type Unit = readonly [effects: readonly Effect[], read?: readonly string[]];

const cases: readonly {
  readonly rule: string;
  readonly kept: readonly CodedOperation[];
  readonly received?: number;
  readonly units: readonly Unit[];
  /** The operations that each unit is found to be, and those that are lost here. */
  readonly found: readonly (readonly number[] | undefined)[];
  readonly lost: readonly number[];
}[] = [
  {
    rule: "each unit is the next operation that says the same",
    kept: [own(1, [add("n")]), own(2, [add("n")]), own(3, [add("m")])],
    units: [[[add("n")]], [[add("n")]]],
    found: [[1], [2]],
    lost: [3],
  },
  {
    rule: "what lies before it goes with it: it was captured from a read, or says only what was seen",
    kept: [own(1, [put("list")]), own(2, []), own(3, [add("n")])],
    units: [[[add("n")]]],
    found: [[1, 2, 3]],
    lost: [],
  },
  {
    rule: "a unit that no operation says is new, and those behind it are found",
    kept: [own(1, [add("n")]), own(2, [add("m")])],
    units: [[[add("n")]], [[add("other")]], [[add("m")]]],
    found: [[1], undefined, [2]],
    lost: [],
  },
  {
    rule: "nothing is found before what was found last",
    kept: [own(1, [add("n")]), own(2, [add("m")])],
    units: [[[add("m")]], [[add("n")]]],
    found: [[1, 2], undefined],
    lost: [],
  },
  {
    rule: "an amount that differs is another operation",
    kept: [own(1, [add("n", 2)])],
    units: [[[add("n")]]],
    found: [undefined],
    lost: [1],
  },
  {
    rule: "the time that a string keeps is not compared: what sites had agreed on is not named",
    kept: [own(1, [text("a"), { kind: "expire", key: "s", at: 9 }]), own(2, [text("b")])],
    units: [[[text("a")]], [[text("b"), { kind: "expire", key: "s", at: 9 }]]],
    found: [[1], [2]],
    lost: [],
  },
  {
    rule: "a time that a string is written with is compared",
    kept: [own(1, [{ kind: "clear", key: "s" }, text("a"), { kind: "expire", key: "s", at: 9 }])],
    units: [[[{ kind: "clear", key: "s" }, text("a"), { kind: "expire", key: "s", at: 8 }]]],
    found: [undefined],
    lost: [1],
  },
  {
    rule: "keys that have to be read first are not compared",
    kept: [own(1, [add("n"), put("list")])],
    units: [[[add("n")], ["list"]]],
    found: [[1]],
    lost: [],
  },
  {
    rule: "a unit of which nothing else is known is new",
    kept: [own(1, [put("list")])],
    units: [[[put("list")], ["list"]]],
    found: [undefined],
    lost: [1],
  },
  {
    rule: "an increment of a key that has to be read as well is compared where nothing else is known",
    kept: [own(1, [add("n")])],
    units: [[[add("n")], ["n"]]],
    found: [[1]],
    lost: [],
  },
  {
    rule: "what the site has logged is not looked for",
    kept: [own(1, [add("n")]), own(2, [add("n")])],
    received: 1,
    units: [[[add("n")]], [[add("n")]]],
    found: [[2], undefined],
    lost: [],
  },
  {
    rule: "what is behind a gap is left out",
    kept: [own(1, [add("n")]), own(3, [add("m")])],
    units: [[[add("m")]]],
    found: [undefined],
    lost: [1],
  },
  {
    rule: "operations of other sites are none",
    kept: [own(1, [add("n")], 2), own(1, [add("n")])],
    units: [[[add("n")]], [[add("n")]]],
    found: [[1], undefined],
    lost: [],
  },
  {
    rule: "two sites that keep the same say it once",
    kept: [own(1, [add("n")]), own(1, [add("n")])],
    units: [[[add("n")]], [[add("n")]]],
    found: [[1], undefined],
    lost: [],
  },
];

for (const { rule, kept, received = 0, units, found, lost } of cases)
  test(rule, () => {
    const regained = new RegainedOperations(1, kept, received === 0 ? NOTHING : vectorOf([[1, received]]));
    const seqs = units.map(([effects, read = []]) => regained.upTo(effects, read)?.map(({ dot }) => dot.seq));
    assert.deepEqual(seqs, found);
    assert.deepEqual(
      regained.lost.map(({ dot }) => dot.seq),
      lost,
    );
  });

test("incarnations follow each other, and what an earlier one had lost is not found before what a later one has written", () => {
  const kept = [own(1, [add("n")], 65), own(1, [add("n")]), own(2, [add("lost")])];
  const regained = new RegainedOperations(1, kept, NOTHING);
  const origins = [1, 2, 3].map(() => regained.upTo([add("n")], [])?.map(({ dot }) => dot.origin));
  assert.deepEqual(origins, [[1], [65], undefined]);
  assert.deepEqual(
    regained.lost.map(({ dot }) => dot),
    [{ origin: 1, seq: 2 }],
  );
});

test("nothing is found behind an increment that was captured once more in a later incarnation, as no other site had answered", () => {
  const kept = [own(1, [put("list")]), own(2, [add("n", 1)]), own(3, [add("n", 2)]), own(2, [add("n", 2)], 65)];
  const found = (amount: number, received: VersionVector) =>
    new RegainedOperations(1, kept, received).upTo([add("n", amount)], [])?.map(({ dot }) => [dot.origin, dot.seq]);
  const later = vectorOf([[65, 1]]);
  assert.deepEqual(found(2, later), [[65, 2]]);
  assert.deepEqual(found(1, later), [
    [1, 1],
    [1, 2],
  ]);
  assert.deepEqual(found(2, NOTHING), [
    [1, 1],
    [1, 2],
    [1, 3],
  ]);
});

test("a key is awaited until each lost operation that changes it is applied, and all keys for one that removes all", () => {
  const regained = new RegainedOperations(1, [own(1, [add("n")]), own(2, [add("m")])], NOTHING);
  assert.deepEqual([regained.isAwaited("n", NOTHING), regained.isAwaited("other", NOTHING)], [true, false]);
  assert.deepEqual(
    [regained.isAwaited("n", vectorOf([[1, 1]])), regained.isUnderWay(vectorOf([[1, 1]]))],
    [false, true],
  );
  assert.equal(regained.isUnderWay(vectorOf([[1, 2]])), false);
  regained.upTo([add("m")], []);
  assert.equal(regained.isUnderWay(NOTHING), false);
  assert.equal(new RegainedOperations(1, [own(1, [{ kind: "flush" }])], NOTHING).isAwaited("other", NOTHING), true);
});

test("a site gives what it keeps of another one, and what of it came too early to be taken", () => {
  const site = Site.empty({
    origin: 2,
    sites: [1, 2, 3],
    life: "a",
    limits: { keptBytes: Infinity, earlyBytes: Infinity, partKeys: 1 },
  });
  const early = { ...own(2, [add("m")]), seen: vectorOf([[3, 1]]) };
  for (const operation of [own(1, [add("n")]), withBytes(early), own(1, [add("n")], 3 + 64)])
    site.receive(operation, operation.dot.origin);
  assert.deepEqual(
    operationsOf(1, site.save()).map(({ dot }) => dot.seq),
    [1, 2],
  );
});
