import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NODE_PATHS, PORTS, clusterNames } from "../../../src/core/api/names.ts";
import { startApiServer } from "../../../src/local-kubernetes/world/index.ts";
import { silentLog } from "../../../src/core/base/log.ts";
import { managementClient } from "../../../src/ports/management/client.ts";
import type { ManagementClient } from "../../../src/ports/management/client.ts";
import type { BdbCreate, BdbRecord } from "../../../src/ports/management/records.ts";
import { createAuthority, issue } from "../../../src/ports/pki/authority.ts";
import type { Authority } from "../../../src/ports/pki/authority.ts";
import { systemClock } from "../../../src/mechanisms/reconcile/system-clock.ts";
import { until } from "../time/until.ts";

/** A cluster of real agents, each a process with its own loopback address, on an embedded Kubernetes API. */
export interface TestCluster extends AsyncDisposable {
  readonly rec: string;
  readonly namespace: string;
  readonly kubeconfig: string;
  readonly ca: string;
  readonly client: ManagementClient;
  /** Of node `uid`. */
  address(uid: number): string;
  pid(uid: number): number;
  start(uid: number): Promise<void>;
  /** SIGKILL to the agent alone, as when its process crashes; what it ran is ended with it. */
  kill(uid: number): Promise<void>;
  /** SIGTERM, and waits until the agent has left. */
  stop(uid: number): Promise<void>;
  /** SIGSTOP to the agent, its proxy and its engines, as when the machine stands still; resolves when all of them do. */
  freeze(uid: number): Promise<void>;
  /** They go on as if nothing had been. */
  thaw(uid: number): void;
  leader(): Promise<number>;
  /** Makes a database and waits until it is active. */
  create(body: BdbCreate): Promise<BdbRecord>;
  /** Process id of an engine, as its node tells it. */
  enginePid(node: number, bdb: number, instance: number): Promise<number>;
  /** The log of a node so far. */
  log(uid: number): string;
  /** Where the node finds its mounts. */
  root(uid: number): string;
  /** Another certificate for the nodes, from the same authority. */
  newNodeTls(): { readonly "tls.crt": string; readonly "tls.key": string };
}

export interface TestClusterOptions {
  readonly nodes?: number;
  /** Operator version of the nodes. */
  readonly release?: string;
}

const USERNAME = "admin@test";
const PASSWORD = "test-password";

export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { nodes = 3, release = "8.2.0-12" } = options;
  const folder = mkdtempSync(join(tmpdir(), "cluster-"));
  const part = (low: number, high: number): number => low + Math.floor(Math.random() * (high - low));
  const network = `127.${part(20, 250)}.${part(0, 255)}`;
  const rec = "rec";
  const namespace = "default";
  const api = await startApiServer({
    dataDir: join(folder, "api"),
    host: `${network}.1`,
    port: 0,
    clock: systemClock,
    log: silentLog,
  });
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, api.kubeconfigs.admin);
  const now = new Date();
  const authority = createAuthority({ commonName: "test cluster", now, days: 1 });
  const address = (uid: number): string => `${network}.${uid + 1}`;
  const rootOf = (uid: number): string => join(folder, `node-${uid}`);
  const nodeTls = () => issueFor(authority, clusterNames.dnsName(rec, namespace), now);
  const agents = new Map<number, ChildProcess>();

  const start = async (uid: number): Promise<void> => {
    const root = rootOf(uid);
    layOut(root, authority, nodeTls());
    const output = createWriteStream(join(root, "log"), { flags: "a" });
    const child = spawn(process.execPath, [join(import.meta.dirname, "../../../src/bin/store.ts"), "agent"], {
      env: {
        PATH: process.env.PATH,
        ...(process.env.STORE_ENGINES_DIR === undefined ? {} : { STORE_ENGINES_DIR: process.env.STORE_ENGINES_DIR }),
        KUBECONFIG: kubeconfig,
        POD_NAME: clusterNames.nodePod(rec, uid),
        POD_NAMESPACE: namespace,
        POD_IP: address(uid),
        CLUSTER_NAME: rec,
        STORE_RELEASE: release,
        CONTAINER_ROOT: root,
        SHUTDOWN_GRACE_SECONDS: "20",
      },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    child.stdout.pipe(output);
    child.stderr.pipe(output);
    agents.set(uid, child);
    await until(`node ${uid} has joined`, () => isUp(uid), { withinMs: 20_000, everyMs: 50 });
  };
  const clientOf = (addresses: () => readonly string[]): ManagementClient =>
    managementClient({
      addresses,
      port: PORTS.management,
      serverName: clusterNames.dnsName(rec, namespace),
      ca: authority.certificate,
      username: USERNAME,
      password: PASSWORD,
      timeoutMs: 20_000,
    });
  const client = clientOf(() => [...agents.keys()].map(address));
  const isUp = async (uid: number): Promise<boolean> => {
    const child = agents.get(uid);
    if (child?.exitCode !== null) throw new Error(`node ${uid} ended: ${logOf(uid).slice(-2_000)}`);
    const up = await client.call("nodes").catch(() => []);
    return up.some(
      (node) => node.uid === uid && node.status === "active" && (node.accepts_clients || node.maintenance),
    );
  };
  const logOf = (uid: number): string => readFileSync(join(folder, `node-${uid}`, "log"), "utf8");
  const end = async (uid: number, signal: NodeJS.Signals, group: boolean): Promise<void> => {
    const child = agents.get(uid);
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    process.kill(group ? -child.pid : child.pid, signal);
    await ended;
    if (!group) killGroup(child.pid);
  };

  await Promise.all(Array.from({ length: nodes }, (_, index) => start(index + 1)));
  return {
    rec,
    namespace,
    kubeconfig,
    ca: authority.certificate,
    client,
    address,
    pid: (uid) => agents.get(uid)?.pid ?? 0,
    start,
    kill: (uid) => end(uid, "SIGKILL", true),
    stop: (uid) => end(uid, "SIGTERM", false),
    freeze: async (uid) => {
      const group = agents.get(uid)?.pid ?? 0;
      process.kill(-group, "SIGSTOP");
      await until(`node ${uid} stands still`, async () => (await standing(group)).every(Boolean));
    },
    thaw: (uid) => {
      process.kill(-(agents.get(uid)?.pid ?? 0), "SIGCONT");
    },
    leader: async () => (await client.call("cluster")).leader_uid,
    log: logOf,
    root: rootOf,
    newNodeTls: nodeTls,
    async enginePid(node, bdb, instance) {
      const own = clientOf(() => [address(node)]);
      const all = await own.call("localInstances");
      await own.close();
      const found = all.find((one) => one.bdb === bdb && one.instance === instance);
      if (found === undefined) throw new Error(`node ${node} has no instance ${instance} of database ${bdb}`);
      return found.pid;
    },
    async create(body) {
      const { uid } = await client.call("createBdb", { body });
      await until(
        `database ${body.name} is active`,
        async () => (await client.call("bdb", { params: { uid } })).status === "active",
        { withinMs: 20_000, everyMs: 50 },
      );
      return client.call("bdb", { params: { uid } });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...agents.keys()].map((uid) => end(uid, "SIGKILL", true)));
      await client.close();
      await api.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function issueFor(authority: Authority, serverName: string, now: Date) {
  const names = { commonName: serverName, dnsNames: [serverName], ipAddresses: [], usages: ["server" as const] };
  const { certificate, key } = issue(authority, { ...names, now, days: 1 });
  return { "tls.crt": certificate, "tls.key": key };
}

function layOut(root: string, authority: Authority, tls: Readonly<Record<string, string>>): void {
  const write = (folder: string, files: Readonly<Record<string, string>>): void => {
    mkdirSync(join(root, folder), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, folder, name), text);
  };
  write(NODE_PATHS.data, {});
  write(NODE_PATHS.tls, { ...tls, "ca.crt": authority.certificate });
  write(NODE_PATHS.credentials, { username: USERNAME, password: PASSWORD });
}

/** Of each process of the group, whether it is stopped. */
async function standing(group: number): Promise<readonly boolean[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""))); // it has ended
  return stats
    .map((stat) => stat.slice(stat.lastIndexOf(")") + 2).split(" "))
    .filter(([, , member]) => member === String(group))
    .map(([state]) => state === "T");
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // ESRCH: nothing of the node is left
  }
}
