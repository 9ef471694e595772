import { isDeepStrictEqual } from "node:util";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import type { ClusterConnection } from "../../../mechanisms/observe/management/connections.ts";
import { referencedCluster, type ReferencedCluster } from "../../../core/planner/admission/references.ts";
import type { Suspension } from "../../../core/planner/cluster/suspension.ts";
import { wasRunning } from "../../../core/planner/cluster/state.ts";
import { block, wait, type FindingOf } from "../../../core/planner/findings/finding.ts";
import { describeObject, editObject } from "../../../core/api/kubectl.ts";
import type { Forbidden } from "./forbidden.ts";

/** Why databases of a cluster cannot be managed at the moment. */
export type Unready = FindingOf<"ClusterNotFound" | "ClusterInvalid" | "ClusterNotReady" | "PassFailed"> | Forbidden;

/** The facts about a cluster that matter to all its databases. */
export interface ClusterContext {
  readonly suspension: Suspension | undefined;
  readonly unready: Unready | undefined;
  /** Its nodes have been asked for, and may hold databases. */
  readonly hasNodes: boolean;
  /** What a spec of a database may refer to; absent when the cluster's own spec cannot be read. */
  readonly nearby: ReferencedCluster | undefined;
  /** What a refusal of the cluster may depend on, as one text: its licence and its modules. */
  readonly means: string;
  /** Absent while the cluster cannot be reached. */
  readonly connection: ClusterConnection | undefined;
}

/** ClusterContexts of clusters by `namespace/name`, as last found. */
export interface ClusterContexts {
  of(cluster: string): ClusterContext | undefined;
  /** Undefined when the cluster is gone. */
  set(cluster: string, context: ClusterContext | undefined): void;
  /** Calls back when the context of a cluster has changed: its databases are to be reconciled. */
  onChange(handler: (cluster: string) => void): void;
}

export function clusterContexts(): ClusterContexts {
  const known = new Map<string, ClusterContext>();
  const handlers: ((cluster: string) => void)[] = [];
  return {
    of: (cluster) => known.get(cluster),
    set(cluster, context) {
      const before = known.get(cluster);
      if (context === undefined) known.delete(cluster);
      else known.set(cluster, context);
      if (isDeepStrictEqual(saidBy(before), saidBy(context))) return;
      for (const tell of handlers) tell(cluster);
    },
    onChange: (handler) => {
      handlers.push(handler);
    },
  };
}

function saidBy(context: ClusterContext | undefined): unknown {
  return context && { ...context, connection: context.connection !== undefined };
}

/** The context of a cluster that was observed. */
export function contextOf(observation: ClusterObservation, suspension: Suspension | undefined): ClusterContext {
  const { view, connection, records } = observation;
  return {
    suspension,
    unready: unreadiness(observation),
    hasNodes: view.workload !== undefined,
    // how many shards are left is the cluster's own word to say
    nearby: { ...referencedCluster(view.name, view.spec, view.remembered), shards: undefined },
    means: meansOf(records),
    connection,
  };
}

/** The context of a cluster whose spec cannot be read. */
export function invalidContext(name: string, message: string): ClusterContext {
  return noContext(block("ClusterInvalid", `the cluster ${name} is invalid: ${message}`, editObject(`rec ${name}`)));
}

/** The context of a cluster that the operator has no permission to read. */
export function forbiddenContext(finding: Forbidden): ClusterContext {
  return noContext(finding);
}

function noContext(unready: Unready): ClusterContext {
  return { suspension: undefined, unready, hasNodes: true, nearby: undefined, means: "", connection: undefined };
}

function meansOf(records: ClusterObservation["records"]): string {
  if ("unreachable" in records) return "";
  const { license, modules } = records;
  return JSON.stringify([license.license, license.state, modules.map(({ uid }) => uid)]);
}

/** Why the cluster cannot be asked for anything yet; undefined when it can. */
function unreadiness({ records, view }: ClusterObservation): Unready | undefined {
  if (!wasRunning(view)) {
    const state = view.remembered.state ?? "PendingCreation";
    return notReady(view.name, `cluster ${view.name} is ${state}; databases are made once it is Running`);
  }
  return "unreachable" in records ? notReady(view.name, records.unreachable) : undefined;
}

/** Databases wait until the cluster answers; `evidence` says why it does not. */
export function notReady(cluster: string, evidence: string): Unready {
  return wait("ClusterNotReady", evidence, `storectl why, or ${describeObject(`rec ${cluster}`)}`);
}
