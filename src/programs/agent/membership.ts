import { renewNodeLease } from "./members/node-lease.ts";
import type { NodeLease } from "./members/node-lease.ts";
import { SET_ASIDE_LIMIT } from "./members/node-report.ts";
import type { NodeReport } from "./members/node-report.ts";
import type { AgentContext } from "./context.ts";
import { renewGrants } from "./node/grants.ts";
import { setAsideView } from "./node/set-aside.ts";
import { localPrimaries } from "./node/local-primaries.ts";
import type { NodeSync } from "./node/sync.ts";
import { describeNode } from "./node/this-node.ts";
import { isDraining } from "./records/maintenance.ts";

/** Renews the lease of this node, and at once when it begins or ceases to accept clients or has fetched a module. */
export function joinCluster(context: AgentContext, signal: AbortSignal): NodeLease {
  const { config, foundEngines, kube, clock, log, changes } = context;
  const { cluster, namespace, node, podName } = config;
  const fixed = describeNode(config, foundEngines, clock.now());
  const report = (): NodeReport => ({ ...fixed, ...changingReport(context) });
  const lease = renewNodeLease({ kube, cluster, namespace, node, podName, report, clock, log, signal });
  let reported = JSON.stringify(changingReport(context));
  changes.subscribe(() => {
    const now = JSON.stringify(changingReport(context));
    if (now === reported) return;
    reported = now;
    void lease.renewNow();
  });
  return lease;
}

/** Renews the grants of the proxy while this node is a member; resolves after `signal` has aborted. */
export function grantWhileMember(
  context: AgentContext,
  lease: NodeLease,
  sync: NodeSync,
  signal: AbortSignal,
): Promise<void> {
  const { members, peers, config, records, proxy, clock, log } = context;
  return renewGrants({
    lease,
    hasPromises: async () => {
      const others = members.list().filter(({ uid }) => uid !== config.node);
      return (await Promise.all(others.map(({ uid }) => peers.promises(uid)))).every(Boolean);
    },
    catchUp: async () => {
      await records.refresh();
      await sync.endpointsApplied();
    },
    grant: (until) => proxy.grant(until),
    primaries: () => localPrimaries(context),
    clock,
    log,
    signal,
  });
}

/** What the node reports of itself and changes while it runs. */
function changingReport({
  proxy,
  records,
  modules,
  supervisor,
  config,
}: AgentContext): Pick<NodeReport, "acceptsClients" | "modules" | "setAside"> {
  const state = records.state();
  return {
    acceptsClients: proxy.acceptsClients() && !isDraining(state, config.node),
    setAside: setAsideView(supervisor).slice(0, SET_ASIDE_LIMIT),
    modules: (state?.modules ?? []).map(({ uid }) => uid).filter((uid) => modules.has(uid)),
  };
}
