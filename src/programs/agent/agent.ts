import type { ProxyCommand } from "../../ports/management/proxy-control.ts";
import { LONG_AGO } from "../../core/planner/node/grant.ts";
import type { ManagementApi } from "./api/http/server.ts";
import type { AgentContext } from "./context.ts";
import { forgetPasswords } from "./credentials/forget-passwords.ts";
import { lead } from "./leader/lead.ts";
import { drainClients, proxyPorts, unconfirmedNodes } from "./leader/proxy-ports.ts";
import { type LeaderElection, runLeaderElection } from "./members/leader-election.ts";
import type { NodeLease } from "./members/node-lease.ts";
import { grantWhileMember, joinCluster, type Membership } from "./membership.ts";
import { keepInSync } from "./node/in-sync.ts";
import { letClientsIn } from "./node/joined-sites.ts";
import { syncModules } from "./node/module-sync.ts";
import { evacuateForShutdown, isEligibleLeader, returnAfterRestart } from "./node/own-maintenance.ts";
import { type NodeSync, syncNode } from "./node/sync.ts";
import type { AgentDeps } from "./open-local.ts";
import { openNode } from "./open-node.ts";
import type { PassRunner } from "./runtime/pass-runner.ts";
import { serveApi } from "./serve-api.ts";

export type { AgentDeps } from "./open-local.ts";

export interface Agent {
  /** Evacuates the node within the grace of the configuration, primaries and clients first; then ends everything. */
  stop(): Promise<void>;
}

/** Runs one node of the cluster (docs/architecture.md) until it is stopped. */
export async function startAgent(deps: AgentDeps): Promise<Agent> {
  const ending = new AbortController();
  const { signal } = ending;
  const { config, log } = deps;
  const context = await openNode(deps, signal);
  const { records, members, authorities, tls, access } = context;

  const membership: Membership = { joined: false, renewedAt: () => LONG_AGO };
  const election = takePartInElection(context, membership, signal);
  const api = await serveApi(context, election, membership);
  const following = [
    tls.follow((files) => useTls(context, api, files), signal),
    context.followEngineTls(signal),
    access.follow(signal),
  ];
  await Promise.all([records.synced, members.synced, authorities.synced]);
  const sync = applyRecords(context, signal);
  const fetching = fetchModules(context, signal);
  // a node that did not say what its volume has room for would be given anything
  await context.volume.look(context);
  const lease = joinCluster(context, signal);
  await lease.joined;
  membership.joined = true;
  membership.renewedAt = () => lease.renewedAt();
  log.info("joined the cluster", { node: config.node, address: config.address, release: config.release.operator });
  const grants = grantWhileMember(context, lease, sync, signal);
  const keeping = keepUp(context, signal);
  await returnAfterRestart(context);

  return {
    async stop() {
      await evacuateForShutdown(context);
      ending.abort(new Error("the agent is stopping"));
      await Promise.all([election.stopped, sync.stopped, fetching.stopped, grants, ...keeping, ...following]);
      await endAll(context, api, lease);
      log.info("the agent has stopped");
    },
  };
}

/** What this node keeps up beside what records name; each ends when `signal` aborts. */
function keepUp(context: AgentContext, signal: AbortSignal): readonly Promise<void>[] {
  const proxies = { ...context, ownProxy: context.proxy.send.bind(context.proxy) };
  const confirm = (command: ProxyCommand) => unconfirmedNodes(proxies, command);
  return [
    keepInSync({ ...context, confirm }, signal),
    letClientsIn(context, signal),
    context.volume.watch(context, signal),
    context.keptRecords.watch(context, signal),
  ];
}

/** The management API takes the certificate at once, the link with the next pass. */
function useTls({ changes }: AgentContext, api: ManagementApi, files: Parameters<ManagementApi["useTls"]>[0]): void {
  api.useTls(files);
  changes.notify();
}

function takePartInElection(context: AgentContext, membership: Membership, signal: AbortSignal): LeaderElection {
  const { config, kube, clock, log, proxy } = context;
  const { cluster, namespace, node, podName } = config;
  const proxies = { ...context, ownProxy: proxy.send.bind(proxy) };
  const election = runLeaderElection({
    kube,
    cluster,
    namespace,
    node,
    podName,
    clock,
    log,
    signal,
    isEligible: () => membership.joined && isEligibleLeader(context),
    lead: (term) => lead(work, term),
  });
  const work = {
    ...context,
    proxies: () => proxyPorts(proxies),
    confirm: (command: ProxyCommand) => unconfirmedNodes(proxies, command),
    sendToProxy: proxies.ownProxy,
    drain: (other: number, deadlineMs: number) => drainClients(proxies, other, deadlineMs),
    stepDown: () => election.stepDown(),
  };
  return election;
}

function applyRecords(context: AgentContext, signal: AbortSignal): NodeSync {
  const { changes } = context;
  const sync = syncNode(context, signal);
  changes.subscribe(() => {
    forgetPasswords(context);
    sync.request();
  });
  sync.onAcceptingChange(() => changes.notify());
  sync.request();
  return sync;
}

function fetchModules(context: AgentContext, signal: AbortSignal): PassRunner {
  const { changes } = context;
  const fetching = syncModules({ ...context, onArrival: () => changes.notify() }, signal);
  changes.subscribe(() => fetching.request());
  fetching.request();
  return fetching;
}

/** Clients first, engines next; the lease last, so that no node takes over before the engines have ended. */
async function endAll(context: AgentContext, api: ManagementApi, lease: NodeLease): Promise<void> {
  const { proxy, link, movers, backups, supervisor, engines, peers, log } = context;
  await Promise.all([api.close(), proxy.stop(), link.stop(), movers.stop(), backups.stop()]);
  await supervisor.stopAll();
  await lease.release().catch((error: unknown) => {
    log.warn("the lease of this node cannot be released and expires", { error });
  });
  engines.close();
  await peers.close();
}
