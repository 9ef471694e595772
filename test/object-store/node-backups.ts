import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { until } from "#kit/testing/until";
import { readManifest, type BackupManifest } from "../../src/core/backup/manifest.ts";
import { evenSlots } from "../../src/core/slots/shard-slots.ts";
import { engineChildren } from "../../src/mechanisms/supervisor/engine-process.ts";
import { discoverEngines } from "../../src/mechanisms/supervisor/engines.ts";
import type { BackupProgress, BackupSource } from "../../src/ports/management/backup-control.ts";
import type { BackupProof, ProofTools } from "../../src/programs/agent/node/backup-proof.ts";
import { NodeBackups, type NodeBackup, type WantedBackup } from "../../src/programs/agent/node/backups.ts";
import { BACKUP_NODE_ARGS } from "../../src/programs/backup/node-args.ts";
import { startObjectStore, type TestObjectStore } from "./server.ts";
import type { TestEngine } from "../kit/engines/engine.ts";
import { STORE } from "../kit/programs.ts";

/** For what a process of a backup does: it gives way to all others, and a machine that tests may have none to spare. */
export const PATIENCE = { withinMs: 120_000 };

/** As an agent starts it. */
export const PROGRAM_ARGS = [...BACKUP_NODE_ARGS, STORE, "backup"];
const ENV = { PATH: process.env["PATH"] ?? "" };

/** The database that is saved. */
export const DATABASE = {
  cluster: "rec",
  namespace: "store",
  uid: 1,
  name: "orders",
  createdTime: "2026-11-30T00:00:00.000Z",
  storeVersion: "7.2",
};

/** The backups of a node with real processes, and an object store. */
export async function nodeBackups(change: Partial<ProofTools> = {}) {
  const server = await startObjectStore();
  const folder = await mkdtempDisposable(join(tmpdir(), "node-backups-"));
  const engines = await discoverEngines(process.env);
  const proofs = { data: folder.path, engines, runner: engineChildren(silentLog), ...change };
  const supervisor = { placeRestored: () => Promise.reject(new Error("no engine starts here")) };
  const backups = new NodeBackups({
    args: PROGRAM_ARGS,
    env: ENV,
    proofs,
    supervisor,
    clock: systemClock,
    log: silentLog,
  });
  const shown = (): NodeBackup | undefined => backups.of(1).at(-1);
  const end = async (wanted: WantedBackup): Promise<BackupProgress> => {
    backups.begin(wanted, () => true);
    await until("it has ended", () => shown()?.progress.state !== "running", PATIENCE);
    return shown()?.progress ?? { state: "running", shards: [] };
  };
  const wanted = (sources: readonly TestEngine[], role: BackupSource["role"] = "replica"): WantedBackup => ({
    name: "nightly",
    folder: "folder",
    database: DATABASE,
    sources: sourcesOf(sources, role),
    logins: [{ user: "default", password: "" }],
    store: server.access,
    proof: undefined,
  });
  return {
    server,
    backups,
    shown,
    data: folder.path,
    end,
    wanted,
    written: () => writtenManifest(server),
    async done(sources: readonly TestEngine[], role: BackupSource["role"] = "replica") {
      const progress = await end(wanted(sources, role));
      assert.equal(progress.state, "done", JSON.stringify(progress));
      const manifest = writtenManifest(server);
      return { manifest, keys: manifest.files.map(({ file }) => `folder/nightly/${file}`) };
    },
    /** How the proof of it has come to its end. */
    async proved(wanted: WantedBackup): Promise<BackupProof> {
      assert.equal((await end(wanted)).state, "done", JSON.stringify(shown()?.progress));
      await until("it was tried", () => (shown()?.proof?.state ?? "running") !== "running", PATIENCE);
      const { proof } = shown() ?? {};
      assert.ok(proof);
      return proof;
    },
    async [Symbol.asyncDispose]() {
      await backups.stop();
      await folder[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

function sourcesOf(engines: readonly TestEngine[], role: BackupSource["role"]): readonly BackupSource[] {
  const slots = evenSlots(engines.length);
  return engines.map(({ host, port }, at) => ({ shard: at + 1, slots: slots[at] ?? [], engine: { host, port }, role }));
}

function writtenManifest({ folder }: TestObjectStore): BackupManifest {
  const manifest = readManifest(readFileSync(join(folder, "folder/nightly/manifest.json"), "utf8"));
  if ("refusal" in manifest) throw new Error(manifest.refusal);
  return manifest;
}

/** Writes so many keys of a million random bytes. */
export async function fill(engine: TestEngine, keys: number): Promise<void> {
  const client = await engine.connect();
  for (let at = 0; at < keys; at++) await client.call("SET", `large-${at}`, randomBytes(1_000_000));
  client.close();
}
