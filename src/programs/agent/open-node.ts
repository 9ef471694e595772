import type { AgentContext } from "./context.ts";
import { databasePasswords } from "./credentials/database-passwords.ts";
import { followLicenseAuthorities } from "./credentials/license-authorities.ts";
import { userPasswords } from "./credentials/user-passwords.ts";
import { databaseAt, nodeAddress } from "./members/addresses.ts";
import { followMembers } from "./members/members.ts";
import { connectPeers } from "./members/peers.ts";
import { nodePlatforms } from "./modules/platforms.ts";
import { loadedModules } from "./node/loaded-modules.ts";
import { askOtherNodes } from "./node/other-proxies.ts";
import { watchEngines } from "./observation/engine-watch.ts";
import { followRecords } from "./records/records.ts";
import { ChangeSignal } from "./runtime/change-signal.ts";
import { clusterDnsName } from "./runtime/config.ts";
import { openLocal, type AgentDeps, type ProxyQuestions } from "./open-local.ts";

/** Opens everything that a node works with; it follows the cluster until `signal` aborts. */
export async function openNode(deps: AgentDeps, signal: AbortSignal): Promise<AgentContext> {
  const { config, kube, clock, log } = deps;
  const changes = new ChangeSignal();
  const asking: ProxyQuestions = {
    askNodes: (question) => askOtherNodes({ config, members, peers }, question),
  };
  const local = await openLocal(deps, changes, asking);
  const { records, members, authorities } = followCluster(deps, signal);
  const engines = watchEngines({ clock });
  records.onChange((database) => changes.notify(database));
  members.onReport(() => changes.notify());
  engines.onDisconnect((engine) => {
    const database = databaseAt(records.databases(), (node) => nodeAddress({ config, members }, node), engine);
    if (database !== undefined) changes.notify(database);
  });
  const peers = connectPeers({
    clock,
    self: config.node,
    addressOf: (node) => members.get(node)?.report.address,
    serverName: clusterDnsName(config),
    trust: () => ({ ca: local.tls.current()["ca.crt"], ...local.access.own() }),
  });
  return {
    config,
    kube,
    clock,
    log,
    changes,
    ...local,
    records,
    members,
    authorities,
    engines,
    peers,
    passwords: databasePasswords({ kube, clock, ...config }),
    userPasswords: userPasswords({ kube, clock, ...config }),
    modulesOf: modulesHere(config, records, local),
    localInstances: () => local.supervisor.report(),
  };
}

function modulesHere(
  { baseSystem, release }: AgentDeps["config"],
  records: AgentContext["records"],
  { modules, foundEngines: engines }: Pick<AgentContext, "modules" | "foundEngines">,
): AgentContext["modulesOf"] {
  const platforms = nodePlatforms({ baseSystem, operatorVersion: release.operator });
  return loadedModules(records, modules, { platforms, engines });
}

/** What the Kubernetes API has of the cluster. */
function followCluster({ config, kube, clock, log }: AgentDeps, signal: AbortSignal) {
  const follow = { kube, cluster: config.cluster, namespace: config.namespace, clock, log, signal };
  return {
    records: followRecords(follow),
    members: followMembers(follow),
    authorities: followLicenseAuthorities(follow),
  };
}
