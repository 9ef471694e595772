import { PORTS } from "../../core/api/names.ts";
import { carriedVersions } from "../../core/releases/find.ts";
import { authenticator } from "./api/auth.ts";
import { apiHandlers } from "./api/handlers.ts";
import { serveManagementApi } from "./api/server.ts";
import type { ManagementApi } from "./api/server.ts";
import { lead } from "./leader/lead.ts";
import { standForLeader } from "./leader/leadership.ts";
import type { Leadership } from "./leader/leadership.ts";
import { localPrimaries } from "./node/local-primaries.ts";
import { isDraining } from "./records/maintenance.ts";
import { loginOf, openNode } from "./node/open-node.ts";
import type { AgentDeps, Node } from "./node/open-node.ts";
import { keepNodeLease } from "./node/lease.ts";
import type { NodeLease } from "./node/lease.ts";
import { loadedModules } from "./node/loaded-modules.ts";
import { syncModules } from "./node/module-sync.ts";
import type { NodeReport } from "./node/report.ts";
import { holdTerm } from "./node/tenure.ts";
import { syncNode } from "./node/sync.ts";
import type { NodeSync } from "./node/sync.ts";
import { comeBack, leaveForShutdown, mayLead } from "./node/own-maintenance.ts";
import type { Repeating } from "./repeating.ts";
import { drainer, proxyPorts } from "./switchover/proxy-ports.ts";
import { describeNode } from "./node/this-node.ts";

export type { AgentDeps } from "./node/open-node.ts";

export interface Agent {
  /** Leaves the node in good order: primaries and clients first, within the grace of the configuration; then ends all. */
  stop(): Promise<void>;
}

/** Runs one node of the cluster (docs/architecture.md) until it is stopped. */
export async function startAgent(deps: AgentDeps): Promise<Agent> {
  const ending = new AbortController();
  const { signal } = ending;
  const { config, kube, clock, log } = deps;
  const own = { kube, clock, log, signal, cluster: config.cluster, namespace: config.namespace, node: config.node };
  const node = await openNode(deps, signal);
  const { view, proxy, supervisor } = node;

  const membership = { joined: false };
  const leadership = candidacy(node, own, membership);
  const api = await serve(node, leadership, membership);
  const following = [
    node.tls.follow((files) => api.useTls(files), signal),
    node.credentials.follow(() => undefined, signal),
  ];
  await Promise.all([view.records.synced, view.members.synced, view.authorities.synced]);
  const modulesOf = loadedModules(view.records, view.modules, config.release);
  const sync = syncNode({ ...own, ...view, address: config.address, supervisor, proxy, modulesOf });
  const fetching = fetchModules(node, own);
  const lease = beMember(node, own, sync);
  await lease.joined;
  membership.joined = true;
  log.info("joined the cluster", { node: config.node, address: config.address, release: config.release.operator });
  const term = serveWhileMember(node, lease, sync, own);
  await comeBack(view);

  return {
    async stop() {
      await leaveForShutdown(view);
      ending.abort(new Error("the agent is stopping"));
      await Promise.all([leadership.stopped, sync.stopped, fetching.stopped, term, ...following]);
      await endAll(node, api, lease);
      log.info("the agent has stopped");
    },
  };
}

interface Own extends Pick<AgentDeps, "kube" | "clock" | "log"> {
  readonly cluster: string;
  readonly namespace: string;
  readonly node: number;
  readonly signal: AbortSignal;
}

interface Membership {
  joined: boolean;
}

function candidacy({ view, proxy, changes }: Node, own: Own, membership: Membership): Leadership {
  const leadership = standForLeader({
    ...own,
    podName: view.config.podName,
    isEligible: () => membership.joined && mayLead(view),
    lead: (until) => lead(work, until),
  });
  const work = {
    view,
    kube: own.kube,
    proxies: () => proxyPorts(view, proxy),
    drain: drainer(view, proxy),
    stepDown: () => leadership.stepDown(),
    changes,
  };
  return leadership;
}

function serve(node: Node, leadership: Leadership, membership: Membership): Promise<ManagementApi> {
  const { view, proxy, tls, credentials } = node;
  const { config, log } = view;
  const joined = (): boolean => membership.joined;
  return serveManagementApi({
    host: config.address,
    port: PORTS.management,
    tls: tls.current(),
    callerOf: authenticator({
      credentials: () => loginOf(credentials),
      users: () => view.records.state()?.users ?? [],
      hashIn: (secret) => view.userPasswords.hashIn(secret),
    }),
    handlers: apiHandlers({
      view,
      leadership,
      joined,
      proxy: (command) => proxy.send(command),
      adminName: () => loginOf(credentials).username,
    }),
    notJoined: () => (joined() ? undefined : `node ${config.node} has not joined the cluster yet`),
    supported: carriedVersions(config.release),
    log,
  });
}

/** Keeps the lease of the node, and says at once when it begins or ceases to take clients, or has got a module. */
function beMember({ view, proxy, engines, changes }: Node, own: Own, sync: NodeSync): NodeLease {
  const { config, records, modules, clock } = view;
  const about = describeNode(config, engines, clock.now());
  const takesClients = (): boolean => proxy.takesClients() && !isDraining(records.state(), config.node);
  const now = (): Pick<NodeReport, "acceptsClients" | "modules"> => ({
    acceptsClients: takesClients(),
    modules: (records.state()?.modules ?? []).map(({ uid }) => uid).filter((uid) => modules.has(uid)),
  });
  const lease = keepNodeLease({
    ...own,
    podName: config.podName,
    report: () => ({ ...about, ...now() }),
  });
  let said = JSON.stringify(now());
  const sayWhatChanged = (): void => {
    const says = JSON.stringify(now());
    if (says === said) return;
    said = says;
    void lease.renewNow();
  };
  changes.listen(() => {
    sync.ask();
    sayWhatChanged();
  });
  sync.onServing(() => changes.tell());
  sync.ask();
  return lease;
}

function fetchModules({ view, changes }: Node, own: Own): Repeating {
  const fetching = syncModules({ ...own, ...view, onArrival: () => changes.tell() });
  changes.listen(() => fetching.ask());
  fetching.ask();
  return fetching;
}

function serveWhileMember({ view, proxy }: Node, lease: NodeLease, sync: NodeSync, own: Own): Promise<void> {
  const { members, peers, config, records } = view;
  const { clock, log, signal } = own;
  return holdTerm({
    lease,
    isVouchedFor: async () => {
      const others = members.list().filter(({ uid }) => uid !== config.node);
      return (await Promise.all(others.map(({ uid }) => peers.vouches(uid)))).every(Boolean);
    },
    catchUp: async () => {
      await records.refresh();
      await sync.endpointsDone();
    },
    grant: (until) => proxy.grant(until),
    primaries: () => localPrimaries(view),
    clock,
    log,
    signal,
  });
}

/** Clients first, engines next; the lease last, so that nobody takes over before the engines have ended. */
async function endAll({ view, proxy, supervisor }: Node, api: ManagementApi, lease: NodeLease): Promise<void> {
  await Promise.all([api.close(), proxy.stop()]);
  await supervisor.stopAll();
  await lease.giveUp().catch((error: unknown) => {
    view.log.warn("the node's lease cannot be given up and runs out by itself", { error });
  });
  view.engines.close();
  await view.peers.close();
}
