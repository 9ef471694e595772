import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { clusterNames, NODE_PATHS } from "../../src/core/api/names.ts";
import { messageOf } from "#kit/base/fault";
import { silentLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { Leases } from "#kit/kube/builtin";
import { startInformer } from "#kit/kube/informer";
import { parseNodeReport, REPORT_ANNOTATION, type NodeReport } from "../../src/programs/agent/members/node-report.ts";
import { startTestCluster, type TestCluster } from "../kit/world/cluster.ts";
import { KEYS, filledDatabase, type FilledDatabase } from "../kit/world/filled-database.ts";
import { kubeOf } from "../kit/world/records.ts";
import { primaryOf } from "../kit/world/shards.ts";
import { until } from "#kit/testing/until";

// A volume that fills up: the database that fills it is refused, the others go on, and all goes on when there is room.

const PATIENCE = { withinMs: 60_000, everyMs: 50 };
const NODE = 1;
/** Below the size at which an engine rewrites its AOF, so that only writes fill it. */
const VOLUME_MIB = 60;
/** Such a volume is offered nothing: databases are made on a larger one. */
const LARGE_MIB = 1024;
const VALUE = randomBytes(30_000).toString("base64");
const DURABLE = { data_persistence: "aofEverySecond" } as const;
const skip =
  process.getuid?.() === 0 && process.platform === "linux" ? false : "mounts a file system, as root on Linux";

test("a full volume harms the database that filled it, says so, and has room again", { skip }, async () => {
  await using cluster = await startTestCluster({ nodes: 1 });
  const data = join(cluster.root(NODE), NODE_PATHS.data);
  await cluster.kill(NODE);
  using volume = mounted(data, LARGE_MIB);
  await cluster.start(NODE);
  await using greedy = await filledDatabase(cluster, { name: "greedy", ...DURABLE });
  await using modest = await filledDatabase(cluster, { name: "modest", ...DURABLE });
  await cluster.client.call("updateBdb", { params: { uid: greedy.uid }, body: { memory_size: 100_000_000 } });
  await greedy.active();
  const growth = { params: { uid: greedy.uid }, body: { memory_size: 400_000_000 } };
  await assert.rejects(
    cluster.client.call("updateBdb", growth),
    /"greedy" may take 1605 MB of a volume then, and that of node 1 has room for \d+ MB/,
  );
  volume.resize(VOLUME_MIB);

  assert.match(await fill(greedy), /OOM/);
  await until("its node has reported it", async () => !(await nodeHasRoom(cluster)), PATIENCE);
  const [full] = (await cluster.client.call("nodes")).map(({ full_volume }) => full_volume);
  assert.deepEqual(
    full?.databases.map(({ bdb }) => bdb),
    [greedy.uid],
  );
  assert.equal(await modest.call("SET", "more", "value"), "OK");
  assert.ok(Number(await greedy.keys()) > KEYS, "it can be read");
  assert.equal(await greedy.call("DEL", "key 1"), 1, "and what it holds can be deleted");

  volume.resize(4 * VOLUME_MIB);
  await until("it writes again", async () => (await outcome(greedy)) === "OK", PATIENCE);
  await until("no volume is full", () => nodeHasRoom(cluster), PATIENCE);
});

test("the first report of a node says what its volume has room for", async () => {
  await using cluster = await startTestCluster({ nodes: 1 });
  await cluster.kill(NODE);
  using kube = kubeOf(cluster);
  const reports: NodeReport[] = [];
  const ending = new AbortController();
  using _end = { [Symbol.dispose]: () => ending.abort() };
  const place = {
    namespace: cluster.namespace,
    fieldSelector: `metadata.name=${clusterNames.nodeLease(cluster.rec, NODE)}`,
  };
  const leases = startInformer(kube, Leases, { ...place, clock: systemClock, log: silentLog, signal: ending.signal });
  leases.onChange((_ref, lease) => {
    const report = parseNodeReport(lease?.metadata.annotations?.[REPORT_ANNOTATION]);
    if (report !== undefined) reports.push(report);
  });
  await leases.synced;
  const [earlier] = reports.splice(0);
  await cluster.start(NODE);
  const ofThisStart = (): readonly NodeReport[] => reports.filter(({ startedAt }) => startedAt !== earlier?.startedAt);
  await until("it has reported twice", () => ofThisStart().length > 1, PATIENCE);
  assert.ok(ofThisStart().every(({ volume }) => volume !== undefined));
});

test("an engine that cannot start on a full volume says so, and serves when there is room", { skip }, async () => {
  await using cluster = await startTestCluster({ nodes: 1 });
  const data = join(cluster.root(NODE), NODE_PATHS.data);
  await cluster.kill(NODE);
  using volume = mounted(data, LARGE_MIB);
  await cluster.start(NODE);
  await using database = await filledDatabase(cluster, { name: "full", ...DURABLE });
  volume.resize(VOLUME_MIB);
  const filler = join(data, "filler");
  const { bavail, bsize } = await statfs(data);
  await writeFile(filler, Buffer.alloc(bavail * bsize)).catch(() => undefined); // less than that fits
  const pid = await cluster.enginePid(primaryOf(await cluster.shards(database.uid)));
  assert.ok(pid > 0, "the engine runs");
  process.kill(pid, "SIGKILL");
  const says = async (): Promise<boolean> =>
    /is starting; it has ended \d+ times before it served: .*no space left/i.test(
      (await database.seen())?.waiting_for ?? "",
    );
  await until("it says why it does not start", says, PATIENCE);
  await rm(filler);
  await database.active();
  assert.equal(await database.keys(), KEYS);
});

/** Writes until the database refuses; its answer then. */
async function fill(database: FilledDatabase): Promise<string> {
  for (let key = 0; key < 3_000; key++) {
    const answer = await outcome(database, `large ${key}`);
    if (answer !== "OK") return answer;
  }
  return "it took everything";
}

function outcome(database: FilledDatabase, key = "large"): Promise<string> {
  return database.call("SET", key, VALUE).then(String, messageOf);
}

async function nodeHasRoom(cluster: TestCluster): Promise<boolean> {
  return (await cluster.client.call("nodes")).every(({ full_volume }) => full_volume === undefined);
}

function mounted(folder: string, mebibytes: number): Disposable & { readonly resize: (mebibytes: number) => void } {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder]);
  return {
    resize: (to) => void execFileSync("mount", ["-o", `remount,size=${to}m`, folder]),
    // what still runs there ends with the cluster
    [Symbol.dispose]: () => void execFileSync("umount", ["-l", folder]),
  };
}
