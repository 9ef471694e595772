import type { Release } from "../../releases/release.ts";
import { versionChange } from "../cluster/target.ts";
import type { ClusterView, NodePod } from "../cluster/view.ts";
import type { Surroundings } from "./surroundings.ts";

/** A step of the cluster between two known releases. */
export interface ReleaseStep {
  readonly from: Release;
  readonly to: Release;
}

/** Everything that the checks look at. */
export interface Situation {
  readonly view: ClusterView;
  /** The step that is wanted or under way; undefined when none is, or when one of its tags is in no release. */
  readonly step: ReleaseStep | undefined;
  /** What lies around the cluster; parts that this caller does not look at are absent. */
  readonly around: Surroundings;
  /** The pod that is about to be touched; undefined while none is. */
  readonly touching: NodePod | undefined;
}

/** Facts that a check cannot do without. */
export type Need = "cluster" | "kubernetesMinor" | keyof Surroundings;

/** The situation of a cluster with the step that its own spec asks for. */
export function situationOf(view: ClusterView, more: Partial<Omit<Situation, "view">> = {}): Situation {
  return { view, step: wantedStep(view), around: {}, touching: undefined, ...more };
}

/** An unknown tag is an objection of its own, and no step. */
function wantedStep(view: ClusterView): ReleaseStep | undefined {
  const { from, to } = versionChange(view) ?? {};
  return from === undefined || to === undefined ? undefined : { from, to };
}
