import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { MOST_MANIFEST, manifestOf, readManifest, type BackupManifest } from "../../core/backup/manifest.ts";
import { fetchCommand } from "../../../test/kit/facts/fetch-command.ts";
import { backupKeyId } from "./derived-keys.ts";
import { sealManifest } from "./manifest-keys.ts";
import { readBackup } from "./read-backup.ts";

const OLD = { name: "key-1", key: randomBytes(32).toString("base64") };
const NEW = { name: "key-2", key: randomBytes(32).toString("base64") };
const { file } = fetchCommand(Buffer.from("data"), 1, "", 0);
const at = "2026-11-30T01:00:00.000Z";
const database = { cluster: "rec", namespace: "store", uid: 3, name: "orders", createdTime: at, storeVersion: "7.2" };
const PLAIN = manifestOf({ name: "nightly", database, began: at, ended: at, files: [file] });
const SEALED = sealManifest(PLAIN, OLD);

test("what is sealed is read by its key among several, also when it stands in another order", async () => {
  assert.deepEqual(await read(SEALED, [NEW, OLD]), SEALED);
  const turned = Object.fromEntries(Object.entries(SEALED).toReversed());
  assert.deepEqual(await read(turned, [OLD]), SEALED);
  assert.equal(JSON.stringify(SEALED).includes(OLD.key), false);
});

for (const [rule, keys, says] of [
  ["without a key", undefined, /by the key [0-9a-f]{32}, which was key-1 when it was saved, and no key is given\.$/],
  ["with another key", [NEW], new RegExp(`those that are given are key-2 \\(${backupKeyId(NEW)}\\)\\.$`)],
  ["with another key of its name", [{ ...NEW, name: "key-1" }], /those that are given are key-1 /],
] as const)
  test(`one that is encrypted is refused ${rule}, and no key is in the message`, async () => {
    await assert.rejects(read(SEALED, keys), (error: Error) => {
      assert.equal(Reflect.get(error, "code"), "BACKUP_KEY_MISSING");
      assert.match(error.message, says);
      return !error.message.includes(NEW.key);
    });
  });

for (const [rule, change] of [
  ["fewer keys", { files: [{ ...file, keys: 0 }] }],
  ["another SHA-256", { files: [{ ...file, sha256: "0".repeat(64) }] }],
  ["another namespace", { database: { ...database, namespace: "team-b" } }],
  ["another engine that reads it", { readableFrom: [] }],
  ["another name", { name: "other" }],
] as const)
  test(`one whose manifest was given ${rule} since it was saved is damaged`, async () => {
    await assert.rejects(read({ ...SEALED, ...change }, [OLD]), {
      code: "BACKUP_DAMAGED",
      message: /its seal is another/,
    });
  });

test("one that is not encrypted is refused where encryption is asked for: it may be of another writer", async () => {
  await assert.rejects(read(PLAIN, [OLD]), { code: "BACKUP_NOT_ENCRYPTED" });
  assert.deepEqual(await read(PLAIN, undefined), PLAIN);
});

test("what a manifest says of its encryption is refused where it is none", () => {
  const { encryption } = SEALED;
  for (const change of [{ form: "ROT13" }, { keyName: "key-x" }, { keyId: "1" }, { seal: "" }, { more: 1 }]) {
    const manifest = readManifest(JSON.stringify({ ...SEALED, encryption: { ...encryption, ...change } }));
    assert.ok("refusal" in manifest && manifest.refusal.startsWith("encryption"));
  }
});

function read(manifest: object, keys: Parameters<typeof readBackup>[0]["keys"]): Promise<BackupManifest> {
  const store = {
    read: (_key: string, most: number) => {
      assert.equal(most, MOST_MANIFEST);
      return Promise.resolve(JSON.stringify(manifest));
    },
  };
  return readBackup({ folder: "folder", name: "nightly", ...(keys === undefined ? {} : { keys }) }, store);
}
