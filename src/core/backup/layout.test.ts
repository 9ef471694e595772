import assert from "node:assert/strict";
import { test } from "node:test";
import { BACKUP_FOLDER, BACKUP_NAME, backupPrefix, fileOf, isFileBelow, leftoversIn, manifestKey } from "./layout.ts";

test("all of a backup lies below its name, each attempt in a folder of its own", () => {
  assert.equal(backupPrefix("team/orders", "nightly"), "team/orders/nightly/");
  assert.equal(manifestKey("team/orders", "nightly"), "team/orders/nightly/manifest.json");
  assert.equal(fileOf("a1", 7, false), "a1/shard-7.rdb");
  assert.equal(fileOf("a1", 7, true), "a1/shard-7.rdb.enc");
  for (const isEncrypted of [false, true])
    assert.ok(isFileBelow("team/nightly/", `team/nightly/${fileOf("0123456789abcdef", 7, isEncrypted)}`));
});

/** Folders of attempts. */
const [ONE, OTHER] = ["48ef2828c2924591", "ddab8f180f00327f"];

for (const [rule, keys, files, leftovers] of [
  [
    "what the manifest names stays, with the manifest",
    ["f/n/manifest.json", `f/n/${ONE}/shard-1.rdb`],
    [`${ONE}/shard-1.rdb`],
    [],
  ],
  [
    "what another attempt has left goes",
    [`f/n/${ONE}/shard-1.rdb`, `f/n/${OTHER}/shard-1.rdb`],
    [`${OTHER}/shard-1.rdb`],
    [`f/n/${ONE}/shard-1.rdb`],
  ],
  [
    "nothing of another backup goes, whose name begins the same",
    [`f/n2/${ONE}/shard-1.rdb`, "f/n"],
    [`${OTHER}/shard-1.rdb`],
    [],
  ],
  [
    "nothing goes of backups in a folder that is called as this backup",
    ["f/n/nightly/manifest.json", `f/n/nightly/${ONE}/shard-1.rdb`, `f/n/${ONE}/manifest.json`],
    [`${OTHER}/shard-1.rdb`],
    [],
  ],
  ["nothing goes that no attempt has sent", ["f/n/README", "f/n/copy/shard-1.rdb"], [`${OTHER}/shard-1.rdb`], []],
] as const)
  test(rule, () => {
    assert.deepEqual(leftoversIn("f/n/", keys, files), leftovers);
  });

for (const [text, isFolder] of [
  ["team", true],
  ["team/orders.v2/_x", false],
  ["Team-1/orders_2", true],
  ["/team", false],
  ["team/", false],
  ["team//orders", false],
  ["team/../other", false],
  ["", false],
] as const)
  test(`"${text}" is ${isFolder ? "a folder" : "no folder"}`, () => {
    assert.equal(BACKUP_FOLDER.test(text), isFolder);
  });

for (const [text, isName] of [
  ["nightly-2026.11.30", true],
  ["a", true],
  ["Nightly", false],
  ["a/b", false],
  [".", false],
  ["x".repeat(129), false],
] as const)
  test(`"${text.slice(0, 20)}" is ${isName ? "a name" : "no name"} of a backup`, () => {
    assert.equal(BACKUP_NAME.test(text), isName);
  });
