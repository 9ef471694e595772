import { join } from "node:path";
import { clusterNames } from "../../../core/api/names.ts";
import type { Clock } from "../../../core/base/clock.ts";
import type { Log } from "../../../core/base/log.ts";
import type { Kube } from "../../../ports/kube/kube.ts";
import { discoverEngines } from "../../../mechanisms/supervisor/engines.ts";
import type { FoundEngine } from "../../../mechanisms/supervisor/engines.ts";
import { superviseInstances } from "../../../mechanisms/supervisor/instances.ts";
import type { InstanceSupervisor } from "../../../mechanisms/supervisor/instances.ts";
import type { ClusterView } from "../records/cluster-view.ts";
import type { AgentConfig } from "../config.ts";
import { watchEngines } from "../leader/engine-watch.ts";
import { openDataFolder } from "./data-folder.ts";
import { openModuleStore } from "./module-store.ts";
import { openEpochs } from "./epochs.ts";
import { followMembers } from "../records/members.ts";
import { startNodeProxy } from "./proxy.ts";
import type { NodeProxy } from "./proxy.ts";
import { databasePasswords } from "./passwords.ts";
import { connectPeers } from "../records/peers.ts";
import { followLicenseAuthorities } from "../records/license-authorities.ts";
import { followRecords } from "../records/records.ts";
import { watchSecret } from "./secret-files.ts";
import type { WatchedSecret } from "./secret-files.ts";
import { userPasswords } from "./user-passwords.ts";
import { Signals } from "../signals.ts";

export interface AgentDeps {
  readonly config: AgentConfig;
  readonly kube: Kube;
  /** Arguments for this Node.js: the program that runs a proxy. */
  readonly proxyArgs: readonly string[];
  /** Where engines are looked for. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a node has and knows, before it serves. */
export interface Node {
  readonly view: ClusterView;
  readonly supervisor: InstanceSupervisor;
  readonly proxy: NodeProxy;
  readonly engines: readonly FoundEngine[];
  readonly tls: WatchedSecret<"tls.crt" | "tls.key" | "ca.crt">;
  readonly credentials: WatchedSecret<"username" | "password">;
  /** Told of each change of records, members, engines and proxy. */
  readonly changes: Signals;
}

/** Opens everything that a node works with; it follows the cluster until `signal` aborts. */
export async function openNode(deps: AgentDeps, signal: AbortSignal): Promise<Node> {
  const { config, kube, clock, log } = deps;
  const { cluster, namespace } = config;
  const follow = { kube, cluster, namespace, clock, log, signal };
  const changes = new Signals();
  await openDataFolder(config.dataDir);
  const tls = await watchSecret(config.tlsDir, ["tls.crt", "tls.key", "ca.crt"], deps);
  const credentials = await watchSecret(config.credentialsDir, ["username", "password"], deps);
  const found = await discoverEngines(deps.env);
  const epochs = await openEpochs(config.dataDir);
  const modules = await openModuleStore(join(config.dataDir, "modules"));

  const records = followRecords(follow);
  const members = followMembers(follow);
  const engines = watchEngines({ clock });
  const supervisor = superviseInstances({ data: config.dataDir, engines: found, clock, log });
  const proxy = startNodeProxy({ args: deps.proxyArgs, epochs, clock, log, onReady: () => changes.tell() });
  const peers = connectPeers({
    clock,
    self: config.node,
    addressOf: (node) => members.get(node)?.report.address,
    serverName: clusterNames.dnsName(cluster, namespace),
    trust: () => ({ ca: tls.current()["ca.crt"], ...loginOf(credentials) }),
  });
  records.onChange((database) => changes.tell(database));
  members.onReport(() => changes.tell());
  engines.onLost(() => changes.tell());

  const passwords = databasePasswords(kube, cluster, namespace);
  const localInstances = () => supervisor.report();
  const authorities = followLicenseAuthorities(follow);
  const view = {
    config,
    records,
    members,
    passwords,
    userPasswords: userPasswords(kube, cluster, namespace),
    modules,
    authorities,
    engines,
    peers,
    clock,
    log,
    localInstances,
  };
  return { view, supervisor, proxy, engines: found, tls, credentials, changes };
}

/** The credentials of the cluster as they are now. */
export function loginOf(credentials: WatchedSecret<"username" | "password">): {
  readonly username: string;
  readonly password: string;
} {
  const { username, password } = credentials.current();
  return { username: username.trim(), password: password.trim() };
}
