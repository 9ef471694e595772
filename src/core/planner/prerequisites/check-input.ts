import type { Release } from "../../releases/catalogue/release.ts";
import { versionChange } from "../view/target.ts";
import type { ClusterView, NodePod } from "../view/cluster-view.ts";
import type { ClusterEnvironment } from "./environment.ts";

/** A step of the cluster between two known releases. */
export interface ReleaseStep {
  readonly from: Release;
  readonly to: Release;
}

/** Everything that the checks look at. */
export interface CheckInput {
  readonly view: ClusterView;
  /** The step that is wanted or under way; undefined when none is, or when one of its tags is in no release. */
  readonly step: ReleaseStep | undefined;
  /** What lies around the cluster; parts that this caller does not look at are absent. */
  readonly environment: ClusterEnvironment;
  /** The pod that is about to be touched; undefined while none is. */
  readonly touching: NodePod | undefined;
}

/** Facts that a check cannot do without. */
export type RequiredFact = "cluster" | "kubernetesMinor" | keyof ClusterEnvironment;

/** The situation of a cluster with the step that its own spec asks for. */
export function checkInput(view: ClusterView, more: Partial<Omit<CheckInput, "view">> = {}): CheckInput {
  return { view, step: wantedStep(view), environment: {}, touching: undefined, ...more };
}

/** An unknown tag is an objection of its own, and no step. */
function wantedStep(view: ClusterView): ReleaseStep | undefined {
  const { from, to } = versionChange(view) ?? {};
  return from === undefined || to === undefined ? undefined : { from, to };
}
