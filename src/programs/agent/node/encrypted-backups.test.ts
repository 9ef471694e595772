import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fill, nodeBackups } from "../../../../test/object-store/node-backups.ts";
import { startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { skipWithoutObjectStore } from "../../../../test/object-store/assets.ts";
import { textOf } from "../../../ports/resp/reply.ts";
import type { WantedBackup } from "./backups.ts";

// Backups that are encrypted, by the process that takes them: what lies in the store then, and who loads it.

const skip = skipWithoutObjectStore();
const OLD = { name: "key-1", key: randomBytes(32).toString("base64") };
const NEW = { name: "key-2", key: randomBytes(32).toString("base64") };
const ROOM = { memory: 2 ** 30, disk: 2 ** 30 };
const MEANS = { room: () => Promise.resolve(ROOM), modules: [] };

test(
  "the newest key encrypts, and an engine loads what was saved with the digest of its source",
  { skip },
  async () => {
    await using source = await startEngine();
    await fill(source, 3);
    await source.call("SET", "plain words", "of a user");
    await using scene = await nodeBackups();
    const proof = await scene.proved({ ...asked(scene, [source], [NEW, OLD]), proof: MEANS });
    assert.equal(proof.state, "passed", JSON.stringify(proof));
    assert.deepEqual([proof.files[0]?.keys, proof.files[0]?.digest], [4, textOf(await source.call("DEBUG", "DIGEST"))]);
    const { manifest, text } = manifestIn(scene);
    assert.equal(manifest.encryption?.keyName, "key-2");
    assert.deepEqual([text.includes(OLD.key), text.includes(NEW.key)], [false, false]);
    const [file] = manifest.files;
    const stored = readFileSync(pathOf(scene, file?.file ?? ""));
    assert.match(file?.file ?? "", /^[0-9a-f]{16}\/shard-1\.rdb\.enc$/);
    assert.deepEqual([file?.bytes, file?.sha256], [stored.length, createHash("sha256").update(stored).digest("hex")]);
    assert.deepEqual(
      ["REDIS0", "plain words"].map((word) => stored.includes(word)),
      [false, false],
    );
  },
);

test("one that is there is loaded again by its key, and refused without it", { skip }, async () => {
  await using source = await startEngine();
  await fill(source, 1);
  await using scene = await nodeBackups();
  assert.equal((await scene.end(asked(scene, [source], [OLD]))).state, "done");
  const proof = await scene.proved({ ...asked(scene, [source], [OLD, NEW]), proof: MEANS });
  assert.equal(proof.state, "passed", JSON.stringify(proof));
  for (const keys of [[NEW], undefined]) {
    const ended = await scene.end(asked(scene, [source], keys));
    assert.deepEqual([ended.state, Reflect.get(ended, "code")], ["failed", "BACKUP_KEY_MISSING"]);
  }
  assert.equal(scene.server.keys().length, 2);
});

test(
  "one that is not encrypted does not count where encryption is asked for, and stays as it is",
  { skip },
  async () => {
    await using source = await startEngine();
    await fill(source, 1);
    await using scene = await nodeBackups();
    const { keys } = await scene.done([source], "primary");
    const ended = await scene.end(asked(scene, [source], [OLD]));
    assert.deepEqual([ended.state, Reflect.get(ended, "code")], ["failed", "BACKUP_NOT_ENCRYPTED"]);
    assert.deepEqual(scene.server.keys(), [...keys, "folder/nightly/manifest.json"]);
  },
);

test("files of two shards that change places are seen, by the manifest or without it", { skip }, async () => {
  await using left = await startEngine();
  await using right = await startEngine();
  const shards = [left, right];
  for (const shard of shards) await fill(shard, 1);
  await using scene = await nodeBackups();
  const wanted = { ...asked(scene, shards, [OLD]), proof: MEANS };
  assert.equal((await scene.end({ ...wanted, proof: undefined })).state, "done");
  const { manifest, text } = manifestIn(scene);
  const [one, other] = manifest.files.map(({ file }) => pathOf(scene, file));
  const contents = [one, other].map((path) => readFileSync(path ?? ""));
  for (const [at, path] of [other, one].entries()) writeFileSync(path ?? "", contents[at] ?? "");
  const proof = await scene.proved(wanted);
  assert.deepEqual(
    [proof.state, Reflect.get(Reflect.get(proof, "failure") ?? {}, "code")],
    ["failed", "BACKUP_DAMAGED"],
  );
  const [first, second] = manifest.files.map(({ sha256 }) => sha256);
  writeFileSync(
    pathOf(scene, "manifest.json"),
    text
      .replace(first ?? "", "x")
      .replace(second ?? "", first ?? "")
      .replace('"x"', `"${second ?? ""}"`),
  );
  const ended = await scene.end(wanted);
  assert.match(JSON.stringify(ended), /BACKUP_DAMAGED.*its seal is another one/);
});

type Scene = Awaited<ReturnType<typeof nodeBackups>>;

function asked(scene: Scene, sources: readonly TestEngine[], keys: WantedBackup["keys"] | undefined): WantedBackup {
  return { ...scene.wanted(sources, "primary"), ...(keys === undefined ? {} : { keys }) };
}

function pathOf({ server }: Scene, file: string): string {
  return join(server.folder, "folder/nightly", file);
}

function manifestIn(scene: Scene) {
  const text = readFileSync(pathOf(scene, "manifest.json"), "utf8");
  return { text, manifest: scene.written() };
}
