import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ActiveActiveRecord } from "../../api/records.ts";
import { numberSites } from "./numbers.ts";
import { deletionBy, isDeletedFor, joinedRecord, liveRecord, recordOf, withRecord } from "./record.ts";

const base: ActiveActiveRecord = {
  guid: "a",
  name: "carts",
  version: "7.4",
  participants: [{ name: "east" }, { name: "west" }],
  configuration: { memorySize: "100MB" },
  edit: { count: 1, author: "east" },
};

const cases: readonly (readonly [
  rule: string,
  a: Partial<ActiveActiveRecord>,
  b: Partial<ActiveActiveRecord>,
  is: Partial<ActiveActiveRecord>,
])[] = [
  ["of two versions the higher one holds", { version: "8.0" }, { version: "8.2" }, { version: "8.2" }],
  ["versions are compared as numbers", { version: "8.10" }, { version: "8.2" }, { version: "8.10" }],
  [
    "the later edit holds",
    { edit: { count: 3, author: "east" }, configuration: { memorySize: "1GB" } },
    { edit: { count: 2, author: "west" }, configuration: { memorySize: "2GB" } },
    { edit: { count: 3, author: "east" }, configuration: { memorySize: "1GB" } },
  ],
  [
    "of two edits at once that of the last author by name holds",
    { edit: { count: 2, author: "east" }, configuration: { memorySize: "1GB" } },
    { edit: { count: 2, author: "west" }, configuration: { memorySize: "2GB" } },
    { edit: { count: 2, author: "west" }, configuration: { memorySize: "2GB" } },
  ],
  [
    "an edit does not take a version back",
    { version: "8.0" },
    { version: "7.4", edit: { count: 2, author: "west" }, configuration: { memorySize: "2GB" } },
    { version: "8.0", edit: { count: 2, author: "west" }, configuration: { memorySize: "2GB" } },
  ],
  [
    "deleted once is deleted, and later edits do not hide who deleted it",
    { deleted: true },
    { edit: { count: 9, author: "west" } },
    { deleted: true },
  ],
  ["made at once under one name, the lower guid is kept", { guid: "b" }, { guid: "a" }, { guid: "a" }],
];

for (const [rule, a, b, is] of cases) {
  test(`records: ${rule}`, () => {
    assert.deepEqual(joinedRecord({ ...base, ...a }, { ...base, ...b }), { ...base, ...is });
    assert.deepEqual(joinedRecord({ ...base, ...b }, { ...base, ...a }), { ...base, ...is }, "in the other order too");
  });
}

const edit = fc.constantFrom({ count: 1, author: "east" }, { count: 2, author: "east" }, { count: 2, author: "west" });
const record: fc.Arbitrary<ActiveActiveRecord> = fc.record(
  {
    guid: fc.constantFrom("a", "b", "c"),
    name: fc.constant("carts"),
    deleted: fc.constant(true as const),
    version: fc.constantFrom("7.2", "7.4", "8.0", "8.2"),
    participants: fc.array(fc.constantFrom({ name: "east" }, { name: "west" }, { name: "north" }), {
      minLength: 1,
      maxLength: 3,
    }),
    configuration: fc.constantFrom({ memorySize: "1GB" }, { memorySize: "2GB" }),
    edit,
    numbers: fc.record(
      { next: fc.constantFrom(3, 4), given: fc.constantFrom([], [{ name: "east", id: 1 }]), edit },
      { noNullPrototype: true },
    ),
  },
  { requiredKeys: ["guid", "name", "version", "participants", "configuration", "edit"], noNullPrototype: true },
);

test("records: in any order of joins, and however often, all participants end with the same record", () => {
  fc.assert(
    fc.property(record, record, record, (a, b, c) => {
      assert.deepEqual(joinedRecord(a, b), joinedRecord(b, a));
      assert.deepEqual(joinedRecord(joinedRecord(a, b), c), joinedRecord(a, joinedRecord(b, c)));
      assert.deepEqual(joinedRecord(a, a), a);
    }),
  );
});

test("records of a cluster: one that is known to be deleted stays so, and the name is free for another", () => {
  const gone = withRecord([base], { ...base, deleted: true });
  assert.equal(liveRecord(gone, "carts"), undefined);
  assert.deepEqual(withRecord(gone, { ...base, edit: { count: 7, author: "west" } }), gone);
  const again = withRecord(gone, { ...base, guid: "z" });
  assert.equal(liveRecord(again, "carts")?.guid, "z");
  assert.equal(recordOf(again, "a")?.deleted, true);
});

const byWest = deletionBy("west", base);
const withoutWest = { ...base, participants: [{ name: "east" }], edit: { count: 2, author: "east" } };

for (const [rule, records, kept] of [
  ["deletes the database", [base, byWest], byWest],
  [
    "deletes it also when others have edited it meanwhile",
    [{ ...base, edit: { count: 9, author: "east" } }, byWest],
    byWest,
  ],
  ["changes nothing when the site was taken out before", [withoutWest, byWest], withoutWest],
  ["counts no more when it is known that the site was taken out before", [byWest, withoutWest], withoutWest],
  ["stays what it is for another deletion", [byWest, deletionBy("east", base)], byWest],
] as const)
  test(`records of a cluster: a deletion by a site ${rule}`, () => {
    assert.deepEqual(records.reduce<readonly ActiveActiveRecord[]>(withRecord, []), [kept]);
  });

test("a deletion by a site that was taken out does not hold when the site is listed again, under another number", () => {
  const numbered = numberSites(base);
  const deletion = deletionBy("west", numbered);
  assert.equal(isDeletedFor(numbered, deletion), true);
  const out = numberSites({ ...numbered, participants: [{ name: "east" }], edit: { count: 2, author: "east" } });
  const again = numberSites({ ...out, participants: base.participants, edit: { count: 3, author: "east" } });
  assert.equal(isDeletedFor(again, deletion), false);
});

test("a deletion of a release that names no deleter holds", () => {
  assert.equal(isDeletedFor(withoutWest, { ...base, deleted: true, edit: { count: 1, author: "north" } }), true);
});

test("records of a cluster: of those that are deleted the last hundred are kept", () => {
  const many = Array.from(
    { length: 130 },
    (_, index) => ({ ...base, guid: `g${index}`, name: `n${index}`, deleted: true }) as const,
  );
  const kept = many.reduce<readonly ActiveActiveRecord[]>(withRecord, [base]);
  assert.deepEqual(
    [kept.length, liveRecord(kept, "carts")?.guid, recordOf(kept, "g29"), recordOf(kept, "g30")?.guid],
    [101, "a", undefined, "g30"],
  );
});
