import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { NODE_PATHS, PORTS, clusterNames } from "../../../src/core/api/names.ts";
import { managementClient } from "../../../src/ports/management/client.ts";
import type { ManagementClient } from "../../../src/ports/management/client.ts";
import { shardUid } from "../../../src/core/api/shard-uid.ts";
import type { BdbCreate, BdbRecord, ShardInstanceRecord } from "../../../src/ports/management/records.ts";
import { createAuthority, issue } from "#kit/pki/authority";
import type { Authority } from "#kit/pki/authority";
import { EngineTls } from "../../../src/ports/resp/engine-tls.ts";
import { openApiRelays, type ApiRelay } from "../kubernetes/api-relay.ts";
import { startLoopbackApi, type AddressOf } from "../kubernetes/loopback-api.ts";
import { until } from "#kit/testing/until";
import { osRelease } from "./base-systems.ts";
import { startSecretMaker } from "./secret-maker.ts";
import { startAgent, type AgentProcess } from "./agent-process.ts";
import { documented } from "./documented.ts";

/** A cluster of real agents, each a process with its own loopback address, on an embedded Kubernetes API. */
export interface TestCluster extends AsyncDisposable {
  readonly rec: string;
  readonly namespace: string;
  readonly kubeconfig: string;
  readonly ca: string;
  readonly client: ManagementClient;
  /** A client that asks node `uid` alone; close it. */
  clientOf(uid: number): ManagementClient;
  /** Of node `uid`. */
  address(uid: number): string;
  pid(uid: number): number;
  start(uid: number): Promise<void>;
  /** Starts the agent, and does not wait until it has joined. */
  launch(uid: number): Promise<void>;
  /** Whether the process of the agent runs. */
  isRunning(uid: number): boolean;
  /** SIGKILL to the agent alone, as when its process crashes; what it ran is ended with it. */
  kill(uid: number): Promise<void>;
  /** SIGTERM, and waits until the agent has left. */
  stop(uid: number): Promise<void>;
  /** SIGSTOP to the agent, its proxy and its engines, as when the machine stands still; resolves when all of them do. */
  freeze(uid: number): Promise<void>;
  /** SIGCONT to all of them. */
  thaw(uid: number): void;
  /** The way of node `uid` to the API server; a test cuts it. */
  api(uid: number): ApiRelay;
  leader(): Promise<number>;
  /** Makes a database and waits until it is active, and every node that takes clients listens for it. */
  create(body: BdbCreate): Promise<BdbRecord>;
  shards(bdb: number): Promise<readonly ShardInstanceRecord[]>;
  /** Process id of the engine of a shard, as its node reports it. */
  enginePid(shard: ShardInstanceRecord): Promise<number>;
  /** The log of a node so far. */
  log(uid: number): string;
  /** Where the node finds its mounts. */
  root(uid: number): string;
  /** How a member of the cluster speaks TLS with its engines, by a certificate of its own. */
  readonly engineTls: EngineTls;
  /** Another certificate for the nodes and one for their engines, from the same authority. */
  newNodeTls(): Readonly<Record<"tls.crt" | "tls.key" | "engine.crt" | "engine.key", string>>;
}

export interface TestClusterOptions {
  readonly nodes?: number;
  /** Operator version of the nodes. */
  readonly release?: string;
  /** A network that the test has made; a loopback network when absent. */
  readonly network?: TestNetwork;
  /** Prefix of a command that then runs as a part of node `uid`: its control group, for instance. */
  readonly within?: TestNetwork["enter"];
  /** How long a node may take to join, and a database to serve, in milliseconds. */
  readonly patienceMs?: number;
  /** How long a node that is stopped waits for its primaries to move. */
  readonly graceSeconds?: number;
}

/** Where the nodes run. */
export interface TestNetwork {
  readonly address: AddressOf;
  /** Prefix of a command that then runs on node `uid`. */
  enter(uid: number): readonly string[];
  /** Called with the folder that the mounts of node `uid` get, before it starts for the first time. */
  prepare(uid: number, root: string): void;
}

const LOOPBACK: Pick<TestNetwork, "enter" | "prepare"> = { enter: () => [], prepare: () => undefined };

const REC = "rec";
const NAMESPACE = "default";
const SERVER_NAME = clusterNames.dnsName(REC, NAMESPACE);
const LOGIN = { username: "admin@test", password: "test-password" };

/** Starts the API and the agents; resolves when every node has joined. */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { nodes = 3, release = "8.2.0-12", network, within: group = () => [], patienceMs = 20_000 } = options;
  const { enter, prepare } = network ?? LOOPBACK;
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await startLoopbackApi("cluster", undefined, network?.address));
  const { kubeconfig } = api;
  const now = new Date();
  const authority = createAuthority({ commonName: "test cluster", now, days: 1 });
  const newNodeTls = () => issueNodeTls(authority, now);
  const address = (uid: number): string => api.address(uid + 1);
  const root = (uid: number): string => join(api.folder, `node-${uid}`);
  const log = (uid: number): string => readFileSync(join(root(uid), "log"), "utf8");
  stack.use(await startSecretMaker({ kubeconfig, rec: REC, namespace: NAMESPACE }));
  const relays = stack.use(await openApiRelays(kubeconfig, api.folder, api.address(1)));
  const agents = new Map<number, AgentProcess>();
  const agentOf = (uid: number): AgentProcess => {
    const agent = agents.get(uid);
    if (agent === undefined) throw new Error(`node ${uid} was never started`);
    return agent;
  };
  const client = clientOf(authority, () => [...agents.keys()].map(address));
  stack.defer(() => client.close());
  stack.defer(async () => void (await Promise.all([...agents.values()].map((agent) => agent.kill()))));
  const launch = async (uid: number): Promise<void> => {
    const place = { address: address(uid), root: root(uid), log: join(root(uid), "log") };
    if (!agents.has(uid)) prepare(uid, place.root);
    writeMounts(place.root, authority, newNodeTls());
    const within = { within: [...group(uid), ...enter(uid)], kubeconfig: await relays.kubeconfigOf(uid) };
    agents.set(uid, startAgent({ ...podOf(uid), ...place, ...within, release, ...graceOf(options) }));
  };
  const start = async (uid: number): Promise<void> => {
    await launch(uid);
    await untilJoined(client, uid, patienceMs, agentOf(uid), () => log(uid));
  };

  await Promise.all(Array.from({ length: nodes }, (_, index) => start(index + 1)));
  const owned = stack.move();
  return {
    rec: REC,
    namespace: NAMESPACE,
    kubeconfig,
    ca: authority.certificate,
    client,
    clientOf: (uid) => clientOf(authority, () => [address(uid)]),
    address,
    start,
    launch,
    log,
    root,
    newNodeTls,
    engineTls: memberOf(authority, newNodeTls()),
    ...processesOf(agentOf),
    api: (uid) => relays.of(uid),
    leader: async () => (await client.call("cluster")).leader_uid,
    create: (body) => createDatabase(client, body, patienceMs),
    shards: (uid) => client.call("bdbShards", { params: { uid } }),
    enginePid: (shard) => findEngine(authority, address(Number(shard.node_uid)), shard),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function graceOf({ graceSeconds = 20 }: TestClusterOptions): { readonly graceSeconds: number } {
  return { graceSeconds };
}

function clientOf(authority: Authority, addresses: () => readonly string[]): ManagementClient {
  return documented(
    managementClient({
      ...LOGIN,
      addresses,
      port: PORTS.management,
      serverName: SERVER_NAME,
      ca: authority.certificate,
      timeoutMs: 20_000,
    }),
  );
}

function podOf(uid: number) {
  return { cluster: REC, namespace: NAMESPACE, pod: clusterNames.nodePod(REC, uid) };
}

type Processes = Pick<TestCluster, "isRunning" | "pid" | "kill" | "stop" | "freeze" | "thaw">;

function processesOf(agentOf: (uid: number) => AgentProcess): Processes {
  return {
    isRunning: (uid) => agentOf(uid).isRunning(),
    pid: (uid) => agentOf(uid).pid,
    kill: (uid) => agentOf(uid).kill(),
    stop: (uid) => agentOf(uid).stop(),
    freeze: (uid) => agentOf(uid).freeze(),
    thaw: (uid) => {
      agentOf(uid).thaw();
    },
  };
}

async function untilJoined(
  client: ManagementClient,
  uid: number,
  withinMs: number,
  agent: AgentProcess,
  log: () => string,
): Promise<void> {
  const isUp = async (): Promise<boolean> => {
    if (!agent.isRunning()) throw new Error(`node ${uid} ended: ${log().slice(-2_000)}`);
    return hasJoined(client, uid);
  };
  await until(`node ${uid} has joined`, isUp, { withinMs, everyMs: 50 });
}

async function hasJoined(client: ManagementClient, uid: number): Promise<boolean> {
  const nodes = await client.call("nodes").catch(() => []);
  return nodes.some(
    (node) => node.uid === uid && node.status === "active" && (node.accepts_clients || node.maintenance),
  );
}

async function createDatabase(client: ManagementClient, body: BdbCreate, withinMs: number): Promise<BdbRecord> {
  const { uid } = await client.call("createBdb", { body });
  const read = (): Promise<BdbRecord> => client.call("bdb", { params: { uid } });
  const isActive = async (): Promise<boolean> => (await read()).status === "active";
  await until(`database ${body.name} is active`, isActive, { withinMs, everyMs: 50 });
  const { port } = await read();
  const areListening = async (): Promise<boolean> => {
    const nodes = (await client.call("nodes")).filter((node) => node.accepts_clients);
    return (await Promise.all(nodes.map(({ addr }) => listens(addr, port)))).every(Boolean);
  };
  await until(`each node listens for ${body.name}`, areListening, { withinMs, everyMs: 50 });
  return read();
}

/** Whether a connection to that place is accepted. */
async function listens(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, "connect");
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ECONNREFUSED") return false;
    throw error;
  } finally {
    socket.destroy();
  }
}

async function findEngine(
  authority: Authority,
  address: string,
  { bdb_uid: bdb, uid }: ShardInstanceRecord,
): Promise<number> {
  const client = clientOf(authority, () => [address]);
  const all = await client.call("localInstances");
  await client.close();
  const found = all.find((one) => one.bdb === bdb && String(shardUid(bdb, one.instance)) === uid);
  if (found === undefined) throw new Error(`${address} has no engine for shard ${uid} of database ${bdb}`);
  return found.pid;
}

function issueNodeTls(authority: Authority, now: Date) {
  const names = {
    commonName: SERVER_NAME,
    dnsNames: [SERVER_NAME],
    ipAddresses: [],
    usages: ["server" as const, "client" as const],
  };
  const { certificate, key } = issue(authority, { ...names, now, days: 1 });
  const engine = issue(authority, {
    commonName: "engine",
    dnsNames: [clusterNames.engineName(REC, NAMESPACE)],
    ipAddresses: [],
    usages: ["server", "client"],
    now,
    days: 1,
  });
  return { "tls.crt": certificate, "tls.key": key, "engine.crt": engine.certificate, "engine.key": engine.key };
}

function memberOf(authority: Authority, tls: ReturnType<typeof issueNodeTls>): EngineTls {
  const member = new EngineTls();
  const shown = { certificate: tls["engine.crt"], key: tls["engine.key"], authority: authority.certificate };
  member.use({ ...shown, serverName: clusterNames.engineName(REC, NAMESPACE) });
  return member;
}

function writeMounts(root: string, authority: Authority, tls: Readonly<Record<string, string>>): void {
  const write = (folder: string, files: Readonly<Record<string, string>>): void => {
    mkdirSync(join(root, folder), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, folder, name), text);
  };
  write(NODE_PATHS.data, {});
  if (!existsSync(join(root, "etc"))) write("etc", { "os-release": osRelease("rhel9") });
  write(NODE_PATHS.tls, { ...tls, "ca.crt": authority.certificate });
  write(NODE_PATHS.credentials, LOGIN);
}
