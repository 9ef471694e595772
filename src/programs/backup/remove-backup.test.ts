import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import { skipWithoutObjectStore } from "../../../test/object-store/assets.ts";
import { DATABASE } from "../../../test/object-store/node-backups.ts";
import { beginUpload, startObjectStore, type TestObjectStore } from "../../../test/object-store/server.ts";
import { manifestKey, removalKey } from "../../core/backup/layout.ts";
import { manifestOf, type BackupManifest } from "../../core/backup/manifest.ts";
import { evenSlots } from "../../core/slots/shard-slots.ts";
import { ObjectStore } from "../../ports/object-store/s3.ts";
import { removeBackup } from "./remove-backup.ts";

// A real object store, whose objects are files.

const skip = skipWithoutObjectStore();
const ATTEMPT = "0123456789abcdef";
const REMOVAL = { folder: "team/orders", name: "nightly-1a2b", database: DATABASE };
const PREFIX = "team/orders/nightly-1a2b/";
const MANIFEST = manifestKey(REMOVAL.folder, REMOVAL.name);
const COPY = removalKey(REMOVAL.folder, REMOVAL.name);
/** What is not of the backup, though it lies below it. */
const OTHERS = [`${PREFIX}notes.txt`, `${PREFIX}0/${ATTEMPT}/shard-1.rdb`, "team/orders/nightly-1a2bc/manifest.json"];

test("a backup goes with its files alone, and a second call finds nothing", { skip }, async () => {
  await using scene = await bucket();
  scene.save();
  scene.put(OTHERS);
  await beginUpload(scene.server.access, `${PREFIX}${ATTEMPT}/shard-9.rdb`);
  assert.equal(await removeBackup(REMOVAL, scene.store), 2);
  assert.deepEqual(scene.keys(), OTHERS.toSorted());
  assert.equal(scene.server.openUploads(), 0);
  assert.equal(await removeBackup(REMOVAL, scene.store), 0);
});

test("what the attempts at a backup have left that never got a manifest goes", { skip }, async () => {
  await using scene = await bucket();
  scene.put([`${PREFIX}${ATTEMPT}/shard-1.rdb`, `${PREFIX}fedcba9876543210/shard-2.rdb`]);
  scene.put(OTHERS);
  await beginUpload(scene.server.access, `${PREFIX}${ATTEMPT}/shard-9.rdb`);
  assert.equal(await removeBackup(REMOVAL, scene.store), 2);
  assert.deepEqual(scene.keys(), OTHERS.toSorted());
  assert.equal(scene.server.openUploads(), 0);
});

test("a removal that is killed between two requests is ended by the next one", { skip }, async () => {
  await using scene = await bucket();
  for (let steps = 0; ; steps += 1) {
    scene.save();
    const isKilled = await removeBackup(REMOVAL, mortal(scene.store, steps)).then(
      () => false,
      (error: unknown) => String(error).includes("killed"),
    );
    const [manifest, copy, files] = [MANIFEST, COPY, ".rdb"].map((end) =>
      scene.keys().some((key) => key.endsWith(end)),
    );
    assert.ok(files !== true || manifest === true || copy === true, `after ${steps} requests nothing names the files`);
    assert.ok(manifest !== true || files === true, `after ${steps} requests a backup has no files`);
    await removeBackup(REMOVAL, scene.store);
    assert.deepEqual(scene.keys(), [], `one that ended after ${steps} requests`);
    if (!isKilled) break;
    assert.ok(steps < 20);
  }
});

test(
  "one that was taken anew after a removal that was not ended goes with what was left of the former",
  { skip },
  async () => {
    await using scene = await bucket();
    scene.save();
    await assert.rejects(removeBackup(REMOVAL, mortal(scene.store, 4)), /killed/);
    assert.deepEqual(
      scene.keys(),
      [`${PREFIX}${ATTEMPT}/shard-1.rdb`, `${PREFIX}${ATTEMPT}/shard-2.rdb`, COPY].toSorted(),
    );
    scene.save({ attempt: "fedcba9876543210" });
    assert.equal(await removeBackup(REMOVAL, scene.store), 4);
    assert.deepEqual(scene.keys(), []);
  },
);

for (const [rule, change, code] of [
  ["of another database", { database: { ...DATABASE, uid: 7 } }, "BACKUP_FOREIGN"],
  [
    "of a former database of this name",
    { database: { ...DATABASE, createdTime: "2025-01-01T00:00:00.000Z" } },
    "BACKUP_FOREIGN",
  ],
  ["that cannot be read", { text: '{"format":9}' }, "BACKUP_BAD_MANIFEST"],
  ["that lists what no backup writes", { attempt: "other" }, "BACKUP_BAD_MANIFEST"],
] as const)
  test(`a manifest ${rule} is refused, and nothing goes`, { skip }, async () => {
    await using scene = await bucket();
    scene.save(change);
    const before = scene.keys();
    await assert.rejects(removeBackup(REMOVAL, scene.store), (error) => error instanceof Fault && error.code === code);
    assert.deepEqual(scene.keys(), before);
  });

async function bucket() {
  const server = await startObjectStore();
  const store = new ObjectStore(server.access);
  const put = (keys: readonly string[], text = "data"): void => {
    for (const key of keys) writeObject(server, key, text);
  };
  return {
    server,
    store,
    put,
    keys: () => server.keys(),
    save({ attempt = ATTEMPT, database = DATABASE, text }: Saved = {}): void {
      const files = [1, 2].map((shard) => fileIn(attempt, shard));
      const manifest = manifestOf({ name: REMOVAL.name, database, began: AT, ended: AT, files });
      put(files.map(({ file }) => `${PREFIX}${file}`));
      put([MANIFEST], text ?? JSON.stringify(manifest));
    },
    async [Symbol.asyncDispose]() {
      store.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

interface Saved {
  readonly attempt?: string;
  readonly database?: BackupManifest["database"];
  readonly text?: string;
}

const AT = "2026-11-30T00:00:00.000Z";

function fileIn(attempt: string, shard: number): BackupManifest["files"][number] {
  return {
    shard,
    slots: [...(evenSlots(2)[shard - 1] ?? [])],
    file: `${attempt}/shard-${shard}.rdb`,
    bytes: 4,
    memory: 4,
    sha256: "0".repeat(64),
    keys: 1,
    rdb: 10,
    engine: { family: "redis", version: "7.0.15" },
    role: "replica",
    replicationId: "0".repeat(40),
    offset: 0,
    at: AT,
  };
}

function writeObject({ folder }: TestObjectStore, key: string, text: string): void {
  mkdirSync(dirname(join(folder, key)), { recursive: true });
  writeFileSync(join(folder, key), text);
}

/** The store as a process sees it that is killed after so many requests. */
function mortal(store: ObjectStore, steps: number): ObjectStore {
  let left = steps;
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown => {
        if (left-- <= 0) throw new Error("killed");
        return Reflect.apply(value, target, args);
      };
    },
  });
}
