import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube, Ref } from "#kit/kube/kube";
import type { FindingLog } from "../objects/finding-log.ts";
import type { ClusterContext } from "../context/cluster-context.ts";
import type { Rerc } from "../remote-cluster/participant.ts";
import type { ObserveActiveActiveDeps, Reaadb } from "./view.ts";

/** What the passes over Active-Active databases work on. */
export interface ActiveActiveDeps extends ObserveActiveActiveDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly findings: FindingLog;
}

/** One pass. */
export interface Pass {
  readonly place: Required<Ref>;
  readonly reaadb: Reaadb | undefined;
  readonly self: Rerc | undefined;
  readonly cluster: string;
  readonly context: ClusterContext | undefined;
}
