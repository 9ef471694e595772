import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempDisposable, readFile, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import { tallyArchive } from "../../../../test/kit/modules/module-archive.ts";
import type { ClusterStateRecord, InstalledModule } from "../../../core/api/records.ts";
import { silentLog } from "#kit/base/log";
import { latestRelease } from "../../../core/releases/catalogue/find.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { installModule } from "../api/modules/module-upload.ts";
import type { Member } from "../members/members.ts";
import { parseNodeReport } from "../members/node-report.ts";
import { openModuleStore } from "../modules/module-store.ts";
import { syncModules } from "./module-sync.ts";

type Change = (state: ClusterStateRecord) => ClusterStateRecord;

test("a module that is stored and not recorded yet is left alone by a pass that comes between", async () => {
  await using node = await startNode();
  const uid = await node.upload(async (change) => {
    await node.sync.completed();
    return (node.cluster.state = change(node.cluster.state));
  });
  assert.deepEqual(await readdir(node.folder), [`${uid}.so`]);
  await node.sync.completed();
  assert.deepEqual(await readdir(node.folder), [`${uid}.so`]);
});

test("a module whose record could not be written is removed", async () => {
  await using node = await startNode();
  await assert.rejects(
    node.upload(() => Promise.reject(new Error("the API server is away"))),
    /is away/,
  );
  await node.sync.completed();
  assert.deepEqual(await readdir(node.folder), []);
});

test("a module that no other node has does not keep a node from fetching the next one", async () => {
  await using node = await startNode({ elsewhere: "held" });
  const held = moduleOf("held");
  node.cluster.state = { ...EMPTY, modules: [moduleOf("lost"), held] };
  node.sync.request();
  await node.arrival;
  assert.equal(await readFile(join(node.folder, `${held.uid}.so`), "utf8"), "held");
});

const EMPTY: ClusterStateRecord = { createdTime: "", nextDatabase: 1, maintenance: [], finished: [] };

/** Node 1, and node 2 that has the module with the content `elsewhere`. */
async function startNode({ elsewhere = "" } = {}) {
  const { path: folder, remove } = await mkdtempDisposable(join(tmpdir(), "modules-"));
  const modules = await openModuleStore(folder);
  const stop = new AbortController();
  const arrival = Promise.withResolvers<void>();
  const cluster = { state: EMPTY };
  const shared = {
    modules,
    config: { node: 1, release: latestRelease() },
    members: { list: () => [memberWith(moduleOf(elsewhere).uid)] },
    clock: systemClock,
  };
  const sync = syncModules(
    {
      ...shared,
      records: { state: () => cluster.state },
      peers: { module: () => Promise.resolve(Readable.from([Buffer.from(elsewhere)])) },
      log: silentLog,
      onArrival: () => arrival.resolve(),
    },
    stop.signal,
  );
  return {
    folder,
    cluster,
    sync,
    arrival: arrival.promise,
    /** The uid of the module. */
    async upload(changeState: (change: Change) => Promise<ClusterStateRecord>): Promise<string> {
      const records = { state: () => cluster.state, databases: () => [], reload: async () => {}, changeState };
      const archive = await tallyArchive({ compatible: "7.2" });
      return (await installModule({ ...shared, records }, new Blob([archive]))).uid;
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await sync.stopped;
      await remove();
    },
  };
}

function moduleOf(content: string): InstalledModule {
  const sha256 = createHash("sha256").update(content).digest("hex");
  const about = { displayName: content, version: "1.0.0", compatible: "7.2", platforms: [], args: "" };
  const times = { actionUid: "", installedTime: "" };
  return { uid: sha256.slice(0, 32), name: content, sha256, bytes: content.length, ...about, ...times };
}

function memberWith(module: string): Member {
  const machine = { osName: "", architecture: "", cores: 1, memoryBytes: 1, startedAt: "2026-01-01T00:00:00Z" };
  const versions = { softwareVersion: "", operatorVersion: "", acceptsClients: true, engines: [] };
  const report = parseNodeReport(JSON.stringify({ address: "127.0.0.2", modules: [module], ...versions, ...machine }));
  assert.ok(report !== undefined);
  return { uid: 2, report, held: true, transitions: 1, fresh: true, silentForMs: 0, mayAcknowledge: true };
}
