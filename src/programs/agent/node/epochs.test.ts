import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";
import { endpointSettings } from "../../../core/api/settings/effects.ts";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";
import { openEpochs } from "./epochs.ts";

const endpoint = (bdb: number, epoch: number): EndpointConfig => ({
  bdb,
  epoch,
  listen: { host: "127.0.0.1", port: 10_000 + bdb },
  password: "",
  holdMs: 1_000,
  settings: endpointSettings(settingsWith()),
});

test("an endpoint never goes back to an earlier epoch, also after a restart of the agent", async () => {
  await inFolder(async (folder) => {
    const epochs = await openEpochs(folder);
    assert.deepEqual(await epochs.admit([endpoint(1, 3), endpoint(2, 1)]), [endpoint(1, 3), endpoint(2, 1)]);
    assert.deepEqual(await epochs.admit([endpoint(1, 2), endpoint(2, 1)]), [endpoint(2, 1)]);
    const later = await openEpochs(folder);
    assert.deepEqual(await later.admit([endpoint(1, 2)]), []);
    assert.deepEqual(await later.admit([endpoint(1, 4)]), [endpoint(1, 4)]);
  });
});

test("a file that a crash has damaged counts as absent", async () => {
  await inFolder(async (folder) => {
    writeFileSync(join(folder, "epochs.json"), '{"1": ');
    assert.deepEqual(await (await openEpochs(folder)).admit([endpoint(1, 1)]), [endpoint(1, 1)]);
  });
});

async function inFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "epochs-"));
  try {
    await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
