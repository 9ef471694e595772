import { releaseByNodeTag } from "../../releases/catalogue/find.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import { versionChange } from "../view/target.ts";
import type { ClusterView, NodePod } from "../view/cluster-view.ts";
import type { ClusterEnvironment } from "./environment.ts";

/** A step of the cluster to a known release. */
export interface ReleaseStep {
  /** Node tag that is left. */
  readonly fromTag: string;
  /** Its release; undefined when the catalogue does not know the tag. */
  readonly from: Release | undefined;
  readonly to: Release;
}

/** Everything that the checks look at. */
export interface CheckInput {
  readonly view: ClusterView;
  /** The step that is wanted or under way; undefined when none is, or when the tag that is asked for is in no release. */
  readonly step: ReleaseStep | undefined;
  /** What lies around the cluster; parts that this caller does not look at are absent. */
  readonly environment: ClusterEnvironment;
  /** The pod that is about to be touched; undefined while none is. */
  readonly touching: NodePod | undefined;
}

/** Facts that a check cannot do without. */
export type RequiredFact = "cluster" | "kubernetesMinor" | keyof ClusterEnvironment;

/** The input of the checks for a cluster, with the step that its own spec asks for. */
export function checkInput(view: ClusterView, more: Partial<Omit<CheckInput, "view">> = {}): CheckInput {
  return { view, step: wantedStep(view), environment: {}, touching: undefined, ...more };
}

/** The step from nodes with the tag `fromTag`. */
export function stepFrom(fromTag: string, to: Release): ReleaseStep {
  return { fromTag, from: releaseByNodeTag(fromTag), to };
}

/** The step that the spec asks for; undefined for an unknown tag, to which another check objects. */
function wantedStep(view: ClusterView): ReleaseStep | undefined {
  const change = versionChange(view);
  return change?.to && stepFrom(change.fromTag, change.to);
}
