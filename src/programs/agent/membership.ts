import { votersOf } from "../../core/planner/node/quorum.ts";
import type { Member, Members } from "./members/members.ts";
import { renewNodeLease } from "./members/node-lease.ts";
import { consentTag } from "./members/pledges.ts";
import { Promises } from "./members/promises.ts";
import type { KeptVoters, NodeLease } from "./members/node-lease.ts";
import { SET_ASIDE_LIMIT } from "./members/node-report.ts";
import type { NodeReport } from "./members/node-report.ts";
import type { AgentContext } from "./context.ts";
import { renewGrants } from "./node/grants.ts";
import { setAsideView } from "./node/set-aside.ts";
import { nodeMemory } from "./node/node-memory.ts";
import { localPrimaries } from "./node/local-primaries.ts";
import type { NodeSync } from "./node/sync.ts";
import { describeNode } from "./node/this-node.ts";
import { isDraining } from "../../core/records/maintenance.ts";

/** Whether this node is a member of its cluster, as its parts ask for it. */
export interface Membership {
  joined: boolean;
  /** When the newest renewal was sent that the API server has confirmed, in milliseconds of uptime. */
  renewedAt: () => number;
}

/** Renews the lease of this node, and at once when it begins or ceases to accept clients or has fetched a module. */
export function joinCluster(context: AgentContext, signal: AbortSignal): NodeLease {
  const { config, foundEngines, kube, clock, log, changes } = context;
  const { cluster, namespace, node, podName } = config;
  const fixed = describeNode(config, foundEngines, clock.now());
  const report = (kept: KeptVoters | undefined): NodeReport => ({
    ...fixed,
    ...changingReport(context),
    ...voters(context, kept),
    ...volumeOf(context),
    consents: context.members.pledges.consents(),
    // Kubernetes may change the limit while the container runs
    container: nodeMemory(config, context.engineMemory()),
  });
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
    promises: new Promises({
      self: config.node,
      others: () => otherNodes(members, config.node),
      voterSets: () => lease.voterSets(),
      renewedAt: () => lease.renewedAt(),
      tagOf: (node) => tagIn(members.get(node)?.report, config.node),
      // nodes that do not report their consents do not know which process asks either
      ask: (node) => peers.promises(node, members.get(node)?.report.consents && lease.transitions()),
      uptimeMs: () => clock.uptimeMs(),
    }),
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

/** Those that have not left the cluster. */
function otherNodes(members: Pick<Members, "list">, self: number): readonly number[] {
  return members.list().flatMap((member) => (member.uid === self || hasLeft(member) ? [] : [member.uid]));
}

/** A node that is restarted is back before this. */
const LEFT_MS = 600_000;

function hasLeft({ held, silentForMs }: Member): boolean {
  return !held && silentForMs > LEFT_MS;
}

/**
 * A node that is late itself keeps its voters: to it, leases of nodes that are alive run out too, at different moments. A renewal that names
 * a lost node and no node that is alive would count as long as its outcome is not known, and no promise would be enough.
 */
function voters({ members, config }: AgentContext, kept: KeptVoters | undefined): Pick<NodeReport, "voters"> {
  const facts = members.list().map((member) => {
    const { uid, fresh, report } = member;
    return { uid, fresh, votes: report.capabilities.includes("votes"), left: hasLeft(member) };
  });
  const chosen = kept === undefined ? votersOf(facts, config.node) : kept.voters;
  return chosen === undefined ? {} : { voters: [...chosen] };
}

function tagIn(report: NodeReport | undefined, self: number): string | undefined {
  return report?.consents && consentTag(report.consents, self);
}

function volumeOf({ volume }: AgentContext): Pick<NodeReport, "volume"> {
  const usage = volume.usage();
  return usage === undefined ? {} : { volume: usage };
}

/** What the node reports of itself and changes while it runs. */
function changingReport({
  proxy,
  records,
  modules,
  supervisor,
  volume,
  config,
  keptRecords,
}: AgentContext): Pick<NodeReport, "acceptsClients" | "modules" | "setAside" | "fullVolume" | "missingRecords"> {
  const state = records.state();
  const fullVolume = volume.full();
  const missing = keptRecords.missing().slice(0, SET_ASIDE_LIMIT);
  return {
    acceptsClients: proxy.acceptsClients() && !isDraining(state, config.node),
    ...(fullVolume === undefined ? {} : { fullVolume }),
    setAside: setAsideView(supervisor).slice(0, SET_ASIDE_LIMIT),
    ...(missing.length === 0 ? {} : { missingRecords: missing }),
    modules: (state?.modules ?? []).map(({ uid }) => uid).filter((uid) => modules.has(uid)),
  };
}
