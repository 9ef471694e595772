// A node that hangs with many primaries: `npm run bench:hang -- [--databases 60] [--built] [--json hang.json]`. Stops every process of a node, as a
// machine does that hangs: nothing is refused, and nothing answers. Prints how long it takes until a write to each of its databases is acknowledged again.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Databases } from "../src/mechanisms/observe/kubernetes/kinds.ts";
import { Secrets } from "#kit/kube/builtin";
import { connectEngine, type EngineAddress } from "../src/ports/resp/engine-client.ts";
import { commandLine } from "./command-line.ts";
import { managementOf } from "./local/steps.ts";
import { build, fillUp, REC, startBuiltWorld, startCluster } from "./world/built-world.ts";

const { options } = commandLine({ databases: 60, built: false, json: "hang.json" });
const TRY_MS = 2_000;
const PAUSE_MS = 50;
/** Longer than any node with that many databases takes. */
const GIVE_UP_MS = 300_000;
const said = (text: string): void =>
  void process.stderr.write(process.stderr.isTTY ? `${text.padEnd(60)}\r` : `${text}\n`);

if (!options.built) build();
await using world = await startBuiltWorld();
const { kube } = world;
await startCluster(world);
let shown = -1;
await fillUp(kube, options.databases, { replication: true }, (active) => {
  if (active !== shown) said(`${active} of ${options.databases} databases are active`);
  shown = active;
});
const management = await managementOf(kube);
const [nodes, shards] = await Promise.all([management.call("nodes"), management.call("shards")]);
await management.close();
const primariesOf = (uid: number) =>
  shards.filter(({ role, node_uid }) => role === "master" && Number(node_uid) === uid);
// the node with most primaries, but not the leader: that hangs with another lease
const [hung] = nodes
  .filter(({ role }) => role !== "leader")
  .toSorted((one, other) => primariesOf(other.uid).length - primariesOf(one.uid).length);
const asked = nodes.find(({ role }) => role === "leader");
const primaries = hung === undefined ? [] : primariesOf(hung.uid);
if (hung === undefined || asked === undefined || primaries.length === 0)
  throw new Error("no node but the leader has a primary: take more databases");
const endpoints = await endpointsOf(new Set(primaries.map(({ bdb_uid }) => bdb_uid)), asked.addr);

const stopped = processesOf(hung.addr);
const began = performance.now();
let served = 0;
let gaps: readonly number[];
try {
  for (const pid of stopped) process.kill(pid, "SIGSTOP");
  gaps = (await Promise.all(endpoints.map(writtenAfter))).toSorted((a, b) => a - b);
} finally {
  for (const pid of stopped) process.kill(pid, "SIGCONT");
}
const [first, median, last] = [gaps[0], gaps[Math.floor(gaps.length / 2)], gaps.at(-1)].map((gap = 0) =>
  (gap / 1000).toFixed(1),
);
const load = loadavg()[0] ?? 0;
console.log(`${options.databases} databases, ${gaps.length} primaries on the node that hangs, load ${load.toFixed(1)}`);
console.log(
  `writes are acknowledged again after ${first} s (the first database), ${median} s (half of them), ${last} s (the last)`,
);
writeFileSync(options.json, `${JSON.stringify({ databases: options.databases, load, gaps }, undefined, 2)}\n`);

/** Where clients of these databases write, at one node. */
async function endpointsOf(uids: ReadonlySet<number>, host: string): Promise<readonly EngineAddress[]> {
  const { items } = await kube.list(Databases, { namespace: REC.namespace });
  const of = items.filter(({ status }) => uids.has(Number(status?.databaseUID)));
  return Promise.all(
    of.map(async ({ status }) => {
      const secret = await kube.get(Secrets, { name: status?.databaseSecretName ?? "", namespace: REC.namespace });
      const text = (key: string): string => Buffer.from(secret?.data?.[key] ?? "", "base64").toString();
      return { host, port: Number(text("port")), password: text("password"), timeoutMs: TRY_MS };
    }),
  );
}

/** The agent of a node and its children have its address in their environment, and engines in their title. */
function processesOf(address: string): readonly number[] {
  const read = (pid: string, what: "environ" | "cmdline"): string => readFileSync(`/proc/${pid}/${what}`, "latin1");
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const isThere = read(pid, "environ").includes(`=${address}\0`) || read(pid, "cmdline").includes(`${address}:`);
      return isThere ? [Number(pid)] : [];
    } catch {
      return []; // no process, or one that has ended
    }
  });
}

/** Milliseconds since the node began to hang. */
async function writtenAfter(endpoint: EngineAddress): Promise<number> {
  for (;;) {
    const isWritten = await write(endpoint);
    const after = performance.now() - began;
    if (isWritten) {
      served += 1;
      said(`${served} of ${endpoints.length} databases serve again after ${(after / 1000).toFixed(1)} s`);
      return after;
    }
    if (after > GIVE_UP_MS) throw new Error(`no write was acknowledged for ${GIVE_UP_MS / 1000} s`);
    await sleep(PAUSE_MS);
  }
}

/** False when it fails, as a crash lets a write fail. */
async function write(endpoint: EngineAddress): Promise<boolean> {
  try {
    const client = await connectEngine({ ...endpoint, timeoutMs: TRY_MS });
    await client.call("SET", "written", "1").finally(() => client.close());
    return true;
  } catch {
    return false; // the next try says how it goes
  }
}
