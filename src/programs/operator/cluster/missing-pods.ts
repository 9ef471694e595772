import type { Clock } from "#kit/base/clock";
import { keyOf, refOf } from "#kit/kube/ref";
import type { ClusterView } from "../../../core/planner/view/cluster-view.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";

/** Since when this process has seen pods missing, by cluster: a StatefulSet does not say that its pods are refused. */
export class MissingPods {
  readonly #since = new Map<string, number>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The `view` of a cluster, with how long its pods have been missing. */
  viewOf({ rec }: Pick<ClusterObservation, "rec">, view: ClusterView): ClusterView {
    const key = keyOf(refOf(rec));
    const { workload, pods, deleting } = view;
    if (deleting || workload?.presence !== "there" || pods.length >= workload.replicas) {
      this.#since.delete(key);
      return view;
    }
    const now = this.#clock.uptimeMs();
    const since = this.#since.get(key) ?? now;
    this.#since.set(key, since);
    return { ...view, podsMissingMs: now - since };
  }

  /** Forgets a cluster that is gone. */
  forget(key: string): void {
    this.#since.delete(key);
  }
}
