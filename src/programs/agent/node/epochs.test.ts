import assert from "node:assert/strict";
import { mkdir, mkdtempDisposable, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";
import { endpointSettings } from "../../../core/api/settings/effects.ts";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";
import { openEpochs } from "./epochs.ts";

const endpoint = (bdb: number, epoch: number): EndpointConfig => ({
  bdb,
  node: 1,
  epoch,
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
