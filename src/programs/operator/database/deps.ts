import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube } from "#kit/kube/kube";
import type { ObserveDeps } from "../../../mechanisms/observe/cluster.ts";
import type { ClusterRef } from "../../../mechanisms/observe/kubernetes/cluster-reads.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { FindingLog } from "../objects/finding-log.ts";
import type { GivenDeps } from "../secrets/given.ts";
import type { ClusterContext, ClusterContexts } from "../context/cluster-context.ts";
import type { ScheduleKeeper } from "./asked-schedule.ts";
import type { AddressReconciler } from "./secret-address.ts";

/** What the passes over databases work on. */
export interface DatabaseDeps extends ObserveDeps, GivenDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly cache: InformerCache;
  readonly contexts: ClusterContexts;
  readonly findings: FindingLog;
}

/** What one pass works on besides. */
export interface DatabasePassDeps extends DatabaseDeps {
  readonly freshContext: (cluster: ClusterRef) => Promise<ClusterContext>;
  readonly keepAddress: AddressReconciler;
  readonly keepSchedule: ScheduleKeeper;
}
