import assert from "node:assert/strict";
import { mkdtempDisposable, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { factsOf, on } from "../../../../test/kit/facts/database-scene.ts";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import { toStored } from "../../../core/records/stored-database.ts";
import { silentLog } from "#kit/base/log";
import type { RecordsNow } from "./keep-records.ts";
import { digestOf, openKeptRecords, type KeptRecords } from "./kept-records.ts";

const NOW = new Date("2026-02-01T00:00:00.000Z");
const DAY_MS = 86_400_000;

interface Scene {
  readonly folder: string;
  readonly kept: KeptRecords;
  /** The same volume, as the next agent finds it. */
  again(): Promise<KeptRecords>;
}

const { record } = factsOf({ instances: [on(1, 1)] });

function now(databases: readonly DatabaseRecord[], more: Partial<RecordsNow> = {}): RecordsNow {
  return { databases, deleted: [], isReadable: () => true, now: NOW, retentionMs: 7 * DAY_MS, ...more };
}

async function scene(run: (scene: Scene) => Promise<void>): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "kept-records-"));
  const again = () => openKeptRecords(folder.path, silentLog);
  await run({ folder: join(folder.path, "records"), kept: await again(), again });
}

/** A record that was there, and is missing. */
async function missed({ kept }: Scene): Promise<void> {
  kept.note(record, "90");
  await kept.keep(now([record]));
  assert.deepEqual(kept.missing(), [], "a record that is there is not missing");
  await kept.keep(now([]));
}

test("a record that vanishes is kept as it was last, also by the next agent of the volume", () =>
  scene(async (all) => {
    await missed(all);
    for (const kept of [all.kept, await all.again()]) {
      const text = kept.textOf(record.uid) ?? "";
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(toStored(record))));
      const { uid: bdb, name, createdTime: created } = record;
      const said = { bdb, name, created, version: "90", digest: digestOf(text), since: NOW.toISOString() };
      assert.deepEqual(kept.missing(), [said]);
    }
  }));

test("what changed right before it vanished is kept", () =>
  scene(async ({ kept, again }) => {
    kept.note(record, "90");
    await kept.keep(now([record]));
    kept.note({ ...record, memoryBytes: 7 }, "91");
    await kept.keep(now([]));
    assert.deepEqual(
      (await again()).missing().map(({ version }) => version),
      ["91"],
    );
    assert.match(kept.textOf(record.uid) ?? "", /"memoryBytes":7/);
  }));

test("a record that is back is not missing any more", () =>
  scene(async (all) => {
    await missed(all);
    all.kept.note(record, "95");
    await all.kept.keep(now([record]));
    assert.deepEqual(all.kept.missing(), []);
    assert.deepEqual((await all.again()).missing(), []);
  }));

const ends: readonly [rule: string, end: Partial<RecordsNow>][] = [
  ["a database that was deleted", { deleted: [{ uid: record.uid, createdTime: record.createdTime, at: "" }] }],
  ["what has been missing for longer than data is set aside", { now: new Date(NOW.getTime() + 8 * DAY_MS) }],
];

for (const [rule, end] of ends)
  test(`nothing is kept of ${rule}`, () =>
    scene(async (all) => {
      await missed(all);
      await all.kept.keep(now([], end));
      assert.equal(all.kept.textOf(record.uid), undefined);
      assert.deepEqual(await readdir(all.folder), []);
    }));

test("nothing is kept of a database that is being deleted", () =>
  scene(async ({ kept, folder }) => {
    kept.note(record, "90");
    await kept.keep(now([record]));
    const going = { ...record, status: "delete-pending" as const };
    kept.note(going, "91");
    await kept.keep(now([going]));
    assert.deepEqual(await readdir(folder), []);
  }));

const stays: readonly [rule: string, stay: Partial<RecordsNow>][] = [
  ["whose record cannot be read", { isReadable: () => false, now: new Date(NOW.getTime() + 8 * DAY_MS) }],
  [
    "of whose uid another one was deleted",
    { deleted: [{ uid: record.uid, createdTime: "2020-01-01T00:00:00Z", at: "" }] },
  ],
];

for (const [rule, stay] of stays)
  test(`the record of a database stays ${rule}`, () =>
    scene(async (all) => {
      await missed(all);
      await all.kept.keep(now([], stay));
      assert.equal(all.kept.missing().length, 1);
    }));

test("a file that is no kept record counts as absent, and a link is not followed", () =>
  scene(async (all) => {
    await missed(all);
    const text = await readFile(join(all.folder, `db-${record.uid}`), "utf8");
    await writeFile(join(all.folder, "db-8"), "{}");
    await writeFile(join(all.folder, "other"), text);
    await symlink(join(all.folder, "other"), join(all.folder, "db-9"));
    const kept = await all.again();
    assert.deepEqual(
      kept.missing().map(({ bdb }) => bdb),
      [record.uid],
    );
  }));
