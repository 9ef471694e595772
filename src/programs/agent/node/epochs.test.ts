import assert from "node:assert/strict";
import { mkdir, mkdtempDisposable, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";
import { endpointSettings } from "../../../core/api/settings/effects.ts";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";
import { openEpochs } from "./epochs.ts";

/** With shards 1, 2 and so on at these epochs. */
const endpoint = (bdb: number, ...epochs: readonly number[]): EndpointConfig => ({
  bdb,
  node: 1,
  shards: epochs.map((epoch, index) => ({ id: index + 1, epoch })),
  listen: { host: "127.0.0.1", port: 10_000 + bdb },
  service: { host: "db.ns.svc.cluster.local", port: 10_000 + bdb },
  password: "",
  furtherPasswords: [],
  logins: [],
  passwordsRevision: 0,
  loginStep: 0,
  holdMs: 1_000,
  scriptLimitMs: 5_000,
  parameters: { database: "db", revision: 0, byClients: "", byDefinition: "" },
  settings: endpointSettings(settingsWith()),
});

test("an endpoint never goes back to an earlier epoch, also after a restart of the agent", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "epochs-"));
  const epochs = await openEpochs(folder.path);
  assert.deepEqual(await epochs.admit([endpoint(1, 3), endpoint(2, 1)]), [endpoint(1, 3), endpoint(2, 1)]);
  assert.deepEqual(await epochs.admit([endpoint(1, 2), endpoint(2, 1)]), [endpoint(2, 1)]);
  const later = await openEpochs(folder.path);
  assert.deepEqual(await later.admit([endpoint(1, 2)]), []);
  assert.deepEqual(await later.admit([endpoint(1, 4)]), [endpoint(1, 4)]);
});

test("each shard has an epoch of its own, and one that is behind keeps its endpoint from being served", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "epochs-"));
  const epochs = await openEpochs(folder.path);
  assert.deepEqual(await epochs.admit([endpoint(1, 3, 1)]), [endpoint(1, 3, 1)]);
  assert.deepEqual(await epochs.admit([endpoint(1, 3, 2)]), [endpoint(1, 3, 2)]);
  const later = await openEpochs(folder.path);
  assert.deepEqual([later.highest(1, 1), later.highest(1, 2), later.highest(1, 3)], [3, 2, 0]);
  assert.deepEqual(await later.admit([endpoint(1, 4, 1)]), []);
  assert.deepEqual(await later.admit([endpoint(1, 3, 2)]), [endpoint(1, 3, 2)]);
});

test("slots never go back to an earlier epoch, also after a restart of the agent, whatever the epochs of the shards are", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "epochs-"));
  const epochs = await openEpochs(folder.path);
  const at = (tableEpoch: number, ...shards: readonly number[]) => ({ ...endpoint(1, ...shards), tableEpoch });
  assert.deepEqual(await epochs.admit([endpoint(1, 3)]), [endpoint(1, 3)]);
  assert.deepEqual(await epochs.admit([at(2, 3, 1)]), [at(2, 3, 1)]);
  assert.deepEqual(await epochs.admit([at(1, 4, 2)]), []);
  const later = await openEpochs(folder.path);
  assert.deepEqual(await later.admit([endpoint(1, 9)]), [], "an endpoint without that epoch has the first one");
  assert.deepEqual(await later.admit([at(2, 4, 1)]), [at(2, 4, 1)]);
  assert.deepEqual(await later.admit([endpoint(2, 1)]), [endpoint(2, 1)], "it is the epoch of one database");
});

test("what a release before 0.5.0 has stored counts for the shard that was the only one, and for no later one", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "epochs-"));
  await writeFile(join(folder.path, "epochs.json"), '{"1":3,"2":7}');
  const epochs = await openEpochs(folder.path);
  assert.equal(epochs.highest(1, 1), 3);
  assert.deepEqual(await epochs.admit([endpoint(1, 2), endpoint(2, 7)]), [endpoint(2, 7)]);
  assert.deepEqual(await epochs.admit([endpoint(1, 3)]), [endpoint(1, 3)]);
  assert.deepEqual(await epochs.admit([endpoint(1, 3, 1)]), [endpoint(1, 3, 1)]);
  assert.equal((await openEpochs(folder.path)).highest(2, 1), 7);
});

test("a file that a crash has damaged counts as absent", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "epochs-"));
  await writeFile(join(folder.path, "epochs.json"), '{"1": ');
  assert.deepEqual(await (await openEpochs(folder.path)).admit([endpoint(1, 1)]), [endpoint(1, 1)]);
});

test("an epoch that cannot be stored is not served, and is forgotten by the process too", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "epochs-"));
  const epochs = await openEpochs(folder.path);
  const obstacle = join(folder.path, "epochs.json");
  await mkdir(obstacle);
  await assert.rejects(epochs.admit([endpoint(1, 5)]), /EISDIR/);
  await rmdir(obstacle);
  assert.deepEqual(await epochs.admit([endpoint(1, 4)]), [endpoint(1, 4)]);
  assert.deepEqual(await (await openEpochs(folder.path)).admit([endpoint(1, 3)]), []);
});
