import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "#kit/reconcile/system-clock";
import { until } from "#kit/testing/until";
import { DATABASE, fill, nodeBackups, PATIENCE, PROGRAM_ARGS } from "../../../../test/object-store/node-backups.ts";
import { engineNames, startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { startAll } from "../../../../test/kit/engines/start-all.ts";
import { writeTypedKeys } from "../../../../test/kit/mover/typed-keys.ts";
import { skipWithoutObjectStore } from "../../../../test/object-store/assets.ts";
import { evenSlots } from "../../../core/slots/shard-slots.ts";
import type { BackupProgress } from "../../../ports/management/backup-control.ts";
import { ObjectStore } from "../../../ports/object-store/s3.ts";
import { textOf } from "../../../ports/resp/reply.ts";
import { STORE } from "../../../../test/kit/programs.ts";

const skip = skipWithoutObjectStore();

for (const engine of engineNames())
  test(`a stock ${engine} loads what a replica of it was saved to, and counts the same keys`, { skip }, async () => {
    await using primary = await startEngine({ engine });
    await using replica = await startEngine({ engine });
    await using scene = await nodeBackups();
    const client = await primary.connect();
    await writeTypedKeys(client, { each: 12, isRedis8: engine.startsWith("redis-8") });
    await client.call("SELECT", 3);
    await client.call("SET", "other", "database");
    await replica.follow(primary);
    await until("it has all", async () => (await replica.call("DBSIZE")) === (await primary.call("DBSIZE")));
    const { manifest, keys } = await scene.done([replica]);
    const [file] = manifest.files;
    assert.deepEqual(manifest.readableFrom[0]?.family, "redis");
    assert.deepEqual([file?.role, file?.engine.version], ["replica", engine.split("-")[1]]);
    assert.deepEqual(
      keys,
      scene.server.keys().filter((key) => key.endsWith(".rdb")),
    );
    await using restored = await loaded(join(scene.server.folder, keys[0] ?? ""), engine);
    const sizes = await sizesOf(restored);
    assert.deepEqual(sizes, await sizesOf(primary));
    assert.equal(file?.keys, sizes[0] + sizes[1]);
    client.close();
  });

test("each shard has a file, and the manifest says its slots, its bytes and their SHA-256", { skip }, async () => {
  const shards = await startAll(...[1, 2, 3].map(() => startEngine()));
  await using scene = await nodeBackups();
  for (const [at, shard] of shards.entries())
    await shard.call("SET", `key-${at}`, randomBytes(2_000_000).toString("hex"));
  const { manifest, keys } = await scene.done(shards, "primary");
  assert.deepEqual(
    manifest.files.map(({ slots }) => slots),
    evenSlots(3),
  );
  for (const [at, { bytes, sha256, keys: counted }] of manifest.files.entries()) {
    const content = readFileSync(join(scene.server.folder, keys[at] ?? ""));
    assert.deepEqual([content.length, createHash("sha256").update(content).digest("hex"), counted], [bytes, sha256, 1]);
  }
  await Promise.all(shards.map((shard) => shard.stop()));
});

test("a name is taken once: the same database gets what is there, and another one a refusal", { skip }, async () => {
  await using source = await startEngine();
  await using scene = await nodeBackups();
  const { manifest } = await scene.done([source], "primary");
  await source.call("SET", "later", "1");
  assert.deepEqual((await scene.done([source], "primary")).manifest, manifest);
  const other = {
    ...scene.wanted([source], "primary"),
    database: { ...DATABASE, createdTime: "2026-01-01T00:00:00Z" },
  };
  assert.deepEqual(codeIn(await scene.end(other)), "BACKUP_NAME_TAKEN");
  const store = new ObjectStore(scene.server.access);
  await store.remove(["folder/nightly/manifest.json"]);
  await store.writeNew("folder/nightly/manifest.json", "{");
  store.close();
  assert.deepEqual(codeIn(await scene.end(scene.wanted([source], "primary"))), "BACKUP_BAD_MANIFEST");
});

test("a process that is killed leaves no backup, and the next attempt removes what it has left", { skip }, async () => {
  await using source = await startEngine();
  await fill(source, 40);
  await using scene = await nodeBackups();
  const slow = { ...scene.wanted([source], "primary"), bytesPerSecond: 4_000_000 };
  scene.backups.begin(slow, () => true);
  assert.ok("busyWith" in scene.backups.begin({ ...slow, name: "other" }, () => true));
  await until("parts have arrived", () => scene.server.openUploads() === 1, PATIENCE);
  killBackup();
  await until("it has failed", () => codeIn(scene.shown()?.progress) === "AGENT_BACKUP_GONE", PATIENCE);
  assert.deepEqual([scene.server.keys(), scene.server.openUploads()], [[], 1]);
  await scene.done([source], "primary");
  assert.deepEqual([scene.server.keys().length, scene.server.openUploads()], [2, 0]);
});

test("a name is not taken anew while what has it is removed", { skip }, async () => {
  await using source = await startEngine();
  await using scene = await nodeBackups();
  await scene.done([source], "primary");
  const wanted = scene.wanted([source], "primary");
  const { name, folder, database, store } = wanted;
  const gone = scene.backups.remove({ name, folder, database, store });
  const refusal = scene.backups.begin(wanted, () => true);
  assert.match("busyWith" in refusal ? refusal.busyWith : "", /^backup nightly of database 1 is being removed$/);
  assert.deepEqual([await gone, scene.server.keys()], [1, []]);
  await scene.done([source], "primary");
});

test("an engine that ends, or is promoted, ends the backup, and nothing of it stays", { skip }, async () => {
  for (const change of [
    (engine: TestEngine) => engine.stop(),
    (engine: TestEngine) => engine.call("REPLICAOF", "NO", "ONE"),
  ]) {
    await using primary = await startEngine();
    await fill(primary, 40);
    await using replica = await startEngine();
    await replica.follow(primary);
    await using scene = await nodeBackups();
    const ended = scene.end({ ...scene.wanted([replica]), bytesPerSecond: 4_000_000 });
    await until("parts have arrived", () => scene.server.openUploads() === 1, PATIENCE);
    await change(replica);
    assert.equal(codeIn(await ended), "BACKUP_SOURCE_GONE");
    assert.deepEqual([scene.server.keys(), scene.server.openUploads()], [[], 0]);
    assert.equal(codeIn(await scene.end(scene.wanted([primary]))), "BACKUP_SOURCE_CHANGED");
  }
});

test(
  "a backup takes less than 64 MiB of memory more than a process without work, however large it is",
  { skip },
  async () => {
    await using source = await startEngine({ args: ["--rdbcompression", "no"] });
    await fill(source, 300);
    await using scene = await nodeBackups();
    const ended = scene.end({ ...scene.wanted([source], "primary"), bytesPerSecond: 100_000_000 });
    await until("data arrive", () => copiedBytes(scene.shown()?.progress) > 0, { ...PATIENCE, everyMs: 5 });
    const pid = backupPid();
    let most = 0;
    while (scene.shown()?.progress.state === "running") {
      most = Math.max(most, mostMemory(pid));
      await systemClock.sleep(20);
    }
    const rest = await memoryAtRest();
    assert.deepEqual([(await ended).state, most - rest < 64], ["done", true], `${most} MiB, ${rest} MiB at rest`);
  },
);

/** An engine that has loaded the file at its start. */
async function loaded(file: string, engine: string) {
  const folder = await mkdtemp(join(tmpdir(), "loaded-"));
  await cp(file, join(folder, "dump.rdb"));
  const started = await startEngine({ engine, args: ["--dir", folder] });
  return {
    call: started.call.bind(started),
    async [Symbol.asyncDispose]() {
      await started.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** The keys of the databases 0 and 3. */
async function sizesOf({ call }: Pick<TestEngine, "call">): Promise<readonly [number, number]> {
  const fields = textOf(await call("INFO", "keyspace"));
  const keysIn = (database: number): number => Number(new RegExp(`db${database}:keys=(\\d+)`).exec(fields)?.[1] ?? 0);
  return [keysIn(0), keysIn(3)];
}

function codeIn(progress: BackupProgress | undefined): string {
  return progress?.state === "failed" ? progress.code : (progress?.state ?? "");
}

function copiedBytes(progress: BackupProgress | undefined): number {
  return progress?.state === "running" ? progress.shards.reduce((sum, { bytes }) => sum + bytes, 0) : 0;
}

/** The only process that takes a backup for this one. */
function backupPid(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ");
  const found = children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`${STORE}\0backup`));
  assert.equal(found.length, 1);
  return Number(found[0]);
}

function killBackup(): void {
  process.kill(backupPid(), "SIGKILL");
}

/** What a process has taken of memory at most, in MiB; 0 when it has ended. */
function mostMemory(pid: number): number {
  const status = `/proc/${pid}/status`;
  const text = existsSync(status) ? readFileSync(status, "utf8") : "";
  return Number(/VmHWM:\s+(\d+) kB/.exec(text)?.[1] ?? 0) / 1_024;
}

/** What the program takes that has got no work yet, in MiB. */
async function memoryAtRest(): Promise<number> {
  const child = spawn(process.execPath, PROGRAM_ARGS, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await once(child, "message");
  const most = mostMemory(child.pid ?? 0);
  child.disconnect();
  await once(child, "exit");
  return most;
}
