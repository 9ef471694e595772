import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { Kube } from "#kit/kube/kube";
import type { ObserveDeps } from "../../../mechanisms/observe/cluster.ts";
import type { Connections } from "../../../mechanisms/observe/management/connections.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import type { AppliedKind } from "#kit/reconcile/object-applier";
import type { ClusterContexts } from "../context/cluster-context.ts";
import type { FindingLog } from "../objects/finding-log.ts";
import type { KeeperDeps } from "./keepers.ts";
import type { MissingPods } from "./missing-pods.ts";
import type { WorkloadWritings } from "./workload-writings.ts";

/** What the passes over clusters work on. */
export interface ClusterDeps extends ObserveDeps, KeeperDeps {
  readonly kube: Kube;
  readonly connections: Connections;
  readonly clock: Clock;
  readonly log: Log;
  readonly applied: readonly AppliedKind[];
  /** Receives what databases depend on. */
  readonly contexts: ClusterContexts;
  /** What is known of the operator's own installation. */
  readonly installation: () => readonly Statement[];
  readonly findings: FindingLog;
  /** What was written into StatefulSets. */
  readonly writings: WorkloadWritings;
}

/** What one pass works on besides. */
export interface ClusterPassDeps extends ClusterDeps {
  readonly missingPods: MissingPods;
}
