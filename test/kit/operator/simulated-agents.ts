import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { actionRecord } from "../../../src/programs/agent/api/cluster/actions.ts";
import { refusals, refuse } from "../../../src/programs/agent/api/http/refusals.ts";
import { authenticator } from "../../../src/programs/agent/api/http/auth.ts";
import type { Handlers } from "../../../src/programs/agent/api/http/handler-call.ts";
import { serveManagementApi } from "../../../src/programs/agent/api/http/server.ts";
import { clusterNames, PORTS } from "../../../src/core/api/names.ts";
import { DATABASE_VERSIONS } from "../../../src/core/api/records.ts";
import { silentLog } from "#kit/base/log";
import { Secrets } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import { timestamp } from "#kit/kube/timestamp";
import type { BdbCreate, LicenseRecord, ModuleRecord, NodeRecord } from "../../../src/ports/management/records.ts";
import { routes, type RouteName } from "../../../src/ports/management/routes.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { SimulatedDatabases, type SimulatedDatabasesOptions } from "./simulated-databases.ts";
import { until } from "#kit/testing/until";

export interface SimulatedAgentsOptions extends SimulatedDatabasesOptions {
  /** Node tag that the nodes report. */
  readonly nodeTag: string;
  /** What the licence says besides; a year is left of it when absent. */
  readonly license?: () => Partial<LicenseRecord>;
  /** Installed modules; none when absent. */
  readonly modules?: () => readonly ModuleRecord[];
}

export interface SimulatedAgents extends AsyncDisposable {
  /** How often each operation was asked for so far. */
  readonly calls: ReadonlyMap<RouteName, number>;
  /** Calls back with the uid of each database that is asked to change, at the moment of the request. */
  onUpdate(listener: (uid: string) => void): void;
  /** Makes a database as a user of the management API does; no object stands for it. */
  create(body: BdbCreate): Promise<{ readonly uid: number }>;
  /** Removes one. */
  remove(uid: number): Promise<void>;
}

/**
 * The management API of a cluster without its engines: on each address the agents' own HTTPS server, with the
 * certificate and the credentials that the operator made; waits until it has made them.
 */
export async function simulateAgents(kube: Kube, options: SimulatedAgentsOptions): Promise<SimulatedAgents> {
  const { tls, credentials } = await secretsOf(kube, options);
  const databases = new SimulatedDatabases(kube, options);
  const calls = new Map<RouteName, number>();
  const listeners: ((uid: string) => void)[] = [];
  const handlers = counted(calls, handlersOf(options, databases, listeners));
  const callerOf = authenticator({
    logins: () => [credentials],
    users: () => [],
    hashIn: () => Promise.resolve(undefined),
  });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => databases.idle());
  const common = {
    ...RIGHTS,
    callerOf,
    tls,
    handlers,
    supported: DATABASE_VERSIONS,
    clock: systemClock,
    log: silentLog,
  };
  for (const host of options.addresses)
    stack.adopt(
      await serveManagementApi({
        askElsewhere: async () => undefined,
        host,
        port: PORTS.management,
        archiveFolder: tmpdir(),
        ...common,
      }),
      (server) => server.close(),
    );
  const owned = stack.move();
  return {
    calls,
    onUpdate: (listener) => {
      listeners.push(listener);
    },
    create: (body) => databases.create(body),
    remove: async (uid) => void (await databases.remove(String(uid))),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** What the simulated cluster answers. `listeners` are called with the uid of each database that is asked to change. */
function handlersOf(
  options: SimulatedAgentsOptions,
  databases: SimulatedDatabases,
  listeners: readonly ((uid: string) => void)[],
): Handlers {
  const startedAt = systemClock.now();
  return {
    ...REFUSED,
    bootstrap: async () => ({ bootstrap_status: { state: "completed" } }),
    license: async () => ({ ...licenseOf(options, startedAt), ...options.license?.() }),
    nodes: async () => options.addresses.map((address, index) => nodeOf(options, index + 1, address, startedAt)),
    modules: async () => options.modules?.() ?? [],
    bdbs: async () => databases.all(),
    bdb: async ({ params }) => databases.find(params["uid"]),
    createBdb: ({ body }) => databases.create(body),
    updateBdb: ({ params, body }) => {
      for (const notify of listeners) notify(params["uid"] ?? "");
      return databases.update(params["uid"], body);
    },
    deleteBdb: async ({ params }) => {
      const { uid } = await databases.remove(params["uid"]);
      const done = { uid: randomUUID(), name: "delete_bdb", status: "completed", progress: 100 } as const;
      return actionRecord({ ...done, object: `bdb:${uid}` });
    },
    clusterPolicy: async () => ({ redis_upgrade_policy: "latest" }),
    shards: async () => databases.shards(),
    actions: async () => databases.actions(),
  };
}

/** There are no users. */
const RIGHTS = { users: () => [], readUsers: async () => [], isStale: () => false, notJoined: () => undefined };

/** Calls that a cluster at rest does not get. */
const REFUSED = Object.fromEntries(Object.keys(routes).map((name) => [name, refused])) as Readonly<
  Record<RouteName, typeof refused>
>; // these are the keys of the table

function refused(): Promise<never> {
  return Promise.reject(refuse(refusals.noSuchPath, "the simulated cluster does not do that"));
}

function counted(calls: Map<RouteName, number>, handlers: Handlers): Handlers {
  return new Proxy(handlers, {
    get: (target, name: RouteName) => {
      calls.set(name, (calls.get(name) ?? 0) + 1);
      return target[name];
    },
  });
}

interface ClusterSecrets {
  readonly tls: { readonly "tls.crt": string; readonly "tls.key": string };
  readonly credentials: { readonly username: string; readonly password: string };
}

async function secretsOf(kube: Kube, { cluster, namespace }: SimulatedAgentsOptions): Promise<ClusterSecrets> {
  const values = new Map<string, string>();
  const names = [clusterNames.credentialsSecret(cluster), clusterNames.nodeTlsSecret(cluster)];
  await until(
    "the operator has made the secrets of the cluster",
    async () => {
      const found = await Promise.all(names.map((name) => kube.get(Secrets, { name, namespace })));
      for (const secret of found) {
        for (const [key, value] of Object.entries(secret?.data ?? {})) {
          values.set(key, Buffer.from(value, "base64").toString());
        }
      }
      return found.every((secret) => secret !== undefined);
    },
    { withinMs: 30_000, everyMs: 50 },
  );
  const text = (key: string): string => values.get(key) ?? "";
  return {
    tls: { "tls.crt": text("tls.crt"), "tls.key": text("tls.key") },
    credentials: { username: text("username"), password: text("password") },
  };
}

function licenseOf({ cluster, namespace }: SimulatedAgentsOptions, since: Date): LicenseRecord {
  return {
    type: "paid",
    license: "",
    cluster_name: clusterNames.dnsName(cluster, namespace),
    owner: "simulated",
    expired: false,
    activation_date: timestamp(since),
    expiration_date: timestamp(new Date(since.getTime() + 365 * 86_400_000)),
    shards_limit: 10_000,
    shards_usage: 0,
    features: [],
  };
}

function nodeOf({ nodeTag }: SimulatedAgentsOptions, uid: number, address: string, startedAt: Date): NodeRecord {
  return {
    uid,
    addr: address,
    status: "active",
    maintenance: false,
    software_version: nodeTag,
    role: uid === 1 ? "leader" : "member",
    accepts_clients: true,
    os_name: "simulated",
    architecture: "simulated",
    cores: 2,
    total_memory: 64e9,
    shard_count: 0,
    shard_list: [],
    uptime: Math.round((systemClock.now().getTime() - startedAt.getTime()) / 1000),
    supported_database_versions: [],
  };
}
