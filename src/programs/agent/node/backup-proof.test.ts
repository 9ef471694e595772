import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { fill, nodeBackups, PATIENCE } from "../../../../test/object-store/node-backups.ts";
import { engineNames, startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { writeTypedKeys } from "../../../../test/kit/mover/typed-keys.ts";
import { skipWithoutObjectStore } from "../../../../test/object-store/assets.ts";
import type { ProofRoom } from "../../../core/backup/proof.ts";
import { listOf, textOf } from "../../../ports/resp/reply.ts";
import type { BackupProof } from "./backup-proof.ts";

const skip = skipWithoutObjectStore();
const ROOM: ProofRoom = { memory: 2 ** 30, disk: 2 ** 30 };

for (const engine of engineNames())
  test(
    `a backup of ${engine} is loaded by the engine that wrote it, with the digest of the source`,
    { skip },
    async () => {
      await using source = await startEngine({ engine });
      await using scene = await nodeBackups();
      const client = await source.connect();
      await writeTypedKeys(client, { each: 12, isRedis8: engine.startsWith("redis-8") });
      client.close();
      await expireOne(source);
      const proof = await scene.proved(asked(scene, source));
      assert.equal(proof.state, "passed", JSON.stringify(proof));
      const [file] = proof.files;
      // whoever asks for it removes it
      assert.equal(await source.call("GET", "over"), null);
      const held = await source.call("DBSIZE");
      assert.deepEqual(
        [file?.keys, file?.expired, file?.digest, file?.engine],
        [held, 1, textOf(await source.call("DEBUG", "DIGEST")), engine.replace("-", " ")],
      );
      assert.equal(existsSync(join(scene.data, "db-0")), false);
    },
  );

test("what became of the files since is said, and nothing of it stays on the node", { skip }, async (t) => {
  await using source = await startEngine();
  await fill(source, 3);
  for (const [rule, change, code, what] of [
    ["a byte is another one", flip, "BACKUP_DAMAGED", /another SHA-256/],
    [
      "the end is missing",
      (path: string) => truncateSync(path, 1_000_000),
      "BACKUP_DAMAGED",
      /has 1000000 of the 3\d+ bytes/,
    ],
    ["there is more", (path: string) => writeFileSync(path, Buffer.alloc(9_000_000)), "BACKUP_DAMAGED", /is longer/],
    ["it is gone", (path: string) => rmSync(path), "BACKUP_DAMAGED", /is gone/],
  ] as const)
    await t.test(rule, async () => {
      await using scene = await nodeBackups();
      const wanted = asked(scene, source);
      const { manifest } = await scene.done([source], "primary");
      change(join(scene.server.folder, "folder/nightly", manifest.files[0]?.file ?? ""));
      assert.deepEqual(failureIn(await scene.proved(wanted)), code);
      assert.match(JSON.stringify(scene.shown()?.proof), what);
      assert.equal(existsSync(join(scene.data, "db-0")), false);
    });
});

test(
  "a file that no engine reads is refused in the words of the engine, though its SHA-256 is right",
  { skip },
  async () => {
    await using source = await startEngine();
    await fill(source, 1);
    await using scene = await nodeBackups();
    const { manifest } = await scene.done([source], "primary");
    const [file] = manifest.files;
    const path = join(scene.server.folder, "folder/nightly", file?.file ?? "");
    const content = readFileSync(path);
    content.write("9", 8);
    writeFileSync(path, content);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const manifestPath = join(scene.server.folder, "folder/nightly/manifest.json");
    writeFileSync(manifestPath, readFileSync(manifestPath, "utf8").replace(file?.sha256 ?? "", sha256));
    const proof = await scene.proved(asked(scene, source));
    assert.equal(failureIn(proof), "SUPERVISOR_NOT_LOADED");
    assert.match(JSON.stringify(proof), /ended with code 1: Can.t handle RDB format version/);
  },
);

test("without room, or without an engine that is as late, nothing is fetched", { skip }, async () => {
  await using source = await startEngine();
  for (const [room, change, code] of [
    [{ ...ROOM, memory: 1_000_000 }, {}, "AGENT_BACKUP_NO_ROOM"],
    [{ ...ROOM, disk: 10 }, {}, "AGENT_BACKUP_NO_ROOM"],
    [ROOM, { engines: [] }, "AGENT_BACKUP_NO_ENGINE"],
  ] as const) {
    await using scene = await nodeBackups(change);
    const proof = await scene.proved({
      ...asked(scene, source),
      proof: { room: () => Promise.resolve(room), modules: [] },
    });
    assert.equal(failureIn(proof), code);
    assert.equal(existsSync(join(scene.data, "db-0")), false);
  }
});

test("one that is being tried ends with the agent, with its engine and its files", { skip }, async () => {
  await using source = await startEngine();
  await fill(source, 40);
  await using scene = await nodeBackups();
  const wanted = { ...asked(scene, source), bytesPerSecond: 8_000_000 };
  assert.equal((await scene.end(wanted)).state, "done");
  await until("the file comes", () => existsSync(join(scene.data, "db-0/1/dump.rdb.new")), PATIENCE);
  assert.ok("busyWith" in scene.backups.begin({ ...wanted, name: "other" }, () => true));
  await scene.backups.stop();
  assert.equal(failureIn(scene.shown()?.proof), "AGENT_BACKUP_GONE");
  assert.equal(existsSync(join(scene.data, "db-0")), false);
});

type Scene = Awaited<ReturnType<typeof nodeBackups>>;

function asked(scene: Scene, source: TestEngine) {
  return { ...scene.wanted([source], "primary"), proof: { room: () => Promise.resolve(ROOM), modules: [] } };
}

function failureIn(proof: BackupProof | undefined): string {
  return proof?.state === "failed" ? proof.failure.code : (proof?.state ?? "");
}

function flip(path: string): void {
  const content = readFileSync(path);
  content[500_000] = (content[500_000] ?? 0) ^ 1;
  writeFileSync(path, content);
}

/** A key whose time is over, and that its engine has not removed yet: nothing has asked for it. */
async function expireOne(source: TestEngine): Promise<void> {
  await source.call("DEBUG", "SET-ACTIVE-EXPIRE", "0");
  await source.call("SET", "over", "value", "PX", "1");
  const secondsOf = async (): Promise<number> => Number(textOf(listOf(await source.call("TIME"))[0] ?? null));
  const set = await secondsOf();
  await until("its time is over", async () => (await secondsOf()) > set);
}
