import { mkdir } from "node:fs/promises";
import { PORTS, clusterNames } from "../api/names.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Kube } from "../kube/kube.ts";
import { supportedStoreVersions } from "../releases/find.ts";
import { discoverEngines } from "../supervisor/engines.ts";
import { superviseInstances } from "../supervisor/instances.ts";
import { apiHandlers } from "./api.ts";
import { serveManagementApi } from "./api-server.ts";
import type { ClusterView } from "./cluster-view.ts";

import type { AgentConfig } from "./config.ts";
import { watchEngines } from "./engine-watch.ts";
import { openEpochs } from "./epochs.ts";
import { fenceWhenCutOff } from "./fence.ts";
import { lead } from "./lead.ts";
import { standForLeader } from "./leadership.ts";
import { comeBack, leaveForShutdown, mayLead } from "./own-maintenance.ts";
import { isDraining } from "./maintenance.ts";
import { followMembers } from "./members.ts";
import { keepNodeLease } from "./node-lease.ts";
import { startNodeProxy } from "./node-proxy.ts";
import { syncNode } from "./node-sync.ts";
import { localPrimaries } from "./local-primaries.ts";
import { databasePasswords } from "./passwords.ts";
import { connectPeers } from "./peers.ts";
import { drainer, proxyPorts } from "./proxy-ports.ts";
import { followRecords } from "./records.ts";
import { watchSecret } from "./secret-files.ts";
import { Signals } from "./signals.ts";
import { describeNode } from "./this-node.ts";

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

export interface Agent {
  /** Leaves the node in good order: primaries and clients first, within the grace of the configuration; then ends all. */
  stop(): Promise<void>;
}

/** Runs one node of the cluster (docs/architecture.md) until it is stopped. */
export async function startAgent(deps: AgentDeps): Promise<Agent> {
  const { config, kube, clock, log } = deps;
  const ending = new AbortController();
  const { signal } = ending;
  const changes = new Signals();
  let joined = false;
  const follow = { kube, cluster: config.cluster, namespace: config.namespace, clock, log, signal };

  await mkdir(config.dataDir, { recursive: true });
  const tls = await watchSecret(config.tlsDir, ["tls.crt", "tls.key", "ca.crt"], deps);
  const credentials = await watchSecret(config.credentialsDir, ["username", "password"], deps);
  const engines = await discoverEngines(deps.env);
  const records = followRecords(follow);
  const members = followMembers(follow);
  const passwords = databasePasswords(kube, config.cluster, config.namespace);
  const supervisor = superviseInstances({ data: config.dataDir, engines, clock, log });
  const watch = watchEngines({ clock });
  const login = () => ({
    username: credentials.current().username.trim(),
    password: credentials.current().password.trim(),
  });
  const peers = connectPeers({
    clock,
    self: config.node,
    addressOf: (node) => members.get(node)?.report.address,
    serverName: clusterNames.dnsName(config.cluster, config.namespace),
    trust: () => ({ ca: tls.current()["ca.crt"], ...login() }),
  });
  const view: ClusterView = {
    config,
    records,
    members,
    passwords,
    engines: watch,
    peers,
    clock,
    log,
    localInstances: () => supervisor.report(),
  };

  const proxy = startNodeProxy({
    args: deps.proxyArgs,
    epochs: await openEpochs(config.dataDir),
    clock,
    log,
    onReady: () => changes.tell(),
  });
  const sync = syncNode({
    ...follow,
    node: config.node,
    address: config.address,
    records,
    members,
    passwords,
    supervisor,
    proxy,
  });
  const ports = () => proxyPorts(view, proxy);
  const leadership = standForLeader({
    ...follow,
    podName: config.podName,
    node: config.node,
    isEligible: () => joined && mayLead(view),
    lead: (until) =>
      lead(
        {
          view,
          kube,
          proxies: ports,
          drain: drainer(view, proxy),
          stepDown,
          onChange: (listener) => changes.listen(listener),
        },
        until,
      ),
  });
  function stepDown(): void {
    leadership.stepDown();
  }

  const api = await serveManagementApi({
    host: config.address,
    port: PORTS.management,
    tls: tls.current(),
    credentials: login,
    handlers: apiHandlers({ view, leadership, joined: () => joined, proxy: (command) => proxy.send(command) }),
    notJoined: () => (joined ? undefined : `node ${config.node} has not joined the cluster yet`),
    supported: supportedStoreVersions(config.release),
    log,
  });
  const following = [
    tls.follow((files) => api.useTls(files), signal),
    credentials.follow(() => log.info("the credentials of the cluster have changed"), signal),
  ];

  await Promise.all([records.synced, members.synced]);
  const about = describeNode(config, engines, clock.now());
  const takesClients = (): boolean => proxy.takesClients() && !isDraining(records.state(), config.node);
  const lease = keepNodeLease({
    ...follow,
    node: config.node,
    podName: config.podName,
    report: () => ({ ...about, acceptsClients: takesClients() }),
  });
  let said = takesClients();
  changes.listen(() => {
    sync.ask();
    if (takesClients() === said) return;
    said = takesClients();
    void lease.renewNow();
  });
  records.onChange(() => changes.tell());
  members.onReport(() => changes.tell());
  watch.onLost(() => changes.tell());
  sync.onServing(() => changes.tell());
  sync.ask();
  await lease.joined;
  joined = true;
  log.info("joined the cluster", { node: config.node, address: config.address, release: config.release.operator });
  const fencing = fenceWhenCutOff({
    sinceRenewalMs: lease.sinceRenewalMs,
    isSeenByAll: async () => {
      const others = members.list().filter(({ uid }) => uid !== config.node);
      return (await Promise.all(others.map(({ uid }) => peers.answers(uid)))).every(Boolean);
    },
    primaries: () => localPrimaries(view),
    clock,
    log,
    signal,
  });
  await comeBack(view);

  return {
    async stop() {
      await leaveForShutdown(view);
      ending.abort(new Error("the agent is stopping"));
      await Promise.all([leadership.stopped, sync.stopped, fencing, ...following]);
      await Promise.all([api.close(), proxy.stop()]);
      await supervisor.stopAll();
      await lease.giveUp().catch((error: unknown) => {
        log.warn("the node's lease cannot be given up and runs out by itself", { error });
      });
      watch.close();
      await peers.close();
      log.info("the agent has stopped");
    },
  };
}
