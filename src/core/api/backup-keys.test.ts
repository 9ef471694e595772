import assert from "node:assert/strict";
import { test } from "node:test";
import { backupKeysIn, newestKey } from "./backup-keys.ts";

const TEXT = `${"A".repeat(43)}=`;

test("of several keys that with the highest number encrypts, and it is no matter of letters", () => {
  const keys = ["key-9", "key-10", "key-2"].map((name) => ({ name, key: TEXT }));
  assert.equal(newestKey(keys)?.name, "key-10");
  assert.equal(newestKey([]), undefined);
});

for (const [rule, texts, outcome] of [
  ["a key with a line end behind it, as a file has it", { "key-1": `${TEXT}\n` }, [{ name: "key-1", key: TEXT }]],
  [
    "something else beside them, which a Secret may have",
    { "key-1": TEXT, password: "w0rd" },
    [{ name: "key-1", key: TEXT }],
  ],
  ["nothing", {}, []],
  ["names that are none", { "key-0": TEXT, "key-": TEXT, "Key-1": TEXT, "key-01": TEXT }, []],
  ["a key that is too short", { "key-1": TEXT, "key-2": "c2hvcnQ=" }, { refusal: "key-2 is not 32 bytes as base64" }],
  ["the bytes themselves", { "key-1": "\0".repeat(32) }, { refusal: "key-1 is not 32 bytes as base64" }],
] as const)
  test(`of a Secret with ${rule} that is read which can be used, and no key is in a refusal`, () => {
    assert.deepEqual(backupKeysIn(new Map(Object.entries(texts))), outcome);
  });

test("a hundred keys are read, and no more", () => {
  const many = (count: number) => new Map(Array.from({ length: count }, (_, at) => [`key-${at + 1}`, TEXT]));
  assert.equal(Reflect.get(backupKeysIn(many(100)), "length"), 100);
  assert.deepEqual(backupKeysIn(many(101)), { refusal: "it has 101 keys, and 100 at most are read" });
});
