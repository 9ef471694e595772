import type { StatefulSet } from "kubernetes-types/apps/v1.js";
import type { Alteration, ClusterView } from "../../../core/planner/view/cluster-view.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import { writingOf } from "../../../mechanisms/observe/kubernetes/workload.ts";
import type { Stored } from "#kit/kube/kube";
import { keyOf, refOf } from "#kit/kube/ref";

/** What this process has written into the StatefulSets of clusters: a spec of another generation was written by others. */
export class WorkloadWritings {
  readonly #last = new Map<string, string>();

  /** The view of a cluster, with what is known of the last writing of its StatefulSet. */
  viewOf({ rec, view }: ClusterObservation): ClusterView {
    const { workload } = view;
    if (workload?.presence !== "there") return view;
    const alteration = this.#alterationOf(keyOf(refOf(rec)), workload.writing);
    return alteration === undefined ? view : { ...view, workload: { ...workload, alteration } };
  }

  /** Forgets a cluster that is gone; `key`: namespace and name. */
  forget(key: string): void {
    this.#last.delete(key);
  }

  /** Notes that the whole spec was written. */
  noteWritten({ rec }: ClusterObservation, stored: Stored<StatefulSet>): void {
    this.#note(keyOf(refOf(rec)), stored);
  }

  /** Notes that the partition was written: what another writer did to the rest is not taken back by that. */
  noteHeld({ rec, view }: ClusterObservation, stored: Stored<StatefulSet> | undefined): void {
    const key = keyOf(refOf(rec));
    if (stored !== undefined && this.#last.get(key) === view.workload?.writing) this.#note(key, stored);
  }

  #note(key: string, { metadata }: Stored<StatefulSet>): void {
    this.#last.set(key, writingOf(metadata));
  }

  #alterationOf(key: string, writing: string): Alteration | undefined {
    const last = this.#last.get(key);
    if (last === undefined) return "unread";
    return last === writing ? undefined : "edited";
  }
}
