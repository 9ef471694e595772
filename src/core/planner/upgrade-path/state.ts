import { compareVersionText } from "#kit/base/version";
import type { UpgradePolicies } from "../admission/upgrade-policy.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import type { NeededSystems } from "../view/base-systems.ts";
import type { ClusterModule } from "../view/cluster-view.ts";

/** What a plan starts from, as it was found; any version may be unknown. */
export interface PathFacts {
  /** Name of the cluster, for the commands. */
  readonly cluster: string;
  readonly nodes: number;
  /** Operator version, for instance "8.0.6-8". */
  readonly operator: string;
  /** Node tag that the cluster runs. */
  readonly nodeTag: string;
  /** Minor, for instance "1.33"; undefined when it could not be read: then nothing is said about it. */
  readonly kubernetes: string | undefined;
  /** Its distribution is OpenShift: the versions of that count. */
  readonly isOpenShift: boolean;
  readonly databases: readonly PathDatabase[];
  /** Modules that databases use and that are not bundled with their version. */
  readonly modules: readonly PathModule[];
  /** Every module that the cluster has: builds, and what engines bring. */
  readonly present: readonly ClusterModule[];
  /** The base systems that nodes of a release have, or are expected to have. */
  readonly systemsOf: (release: Release) => NeededSystems;
  /** Names in `spec.userDefinedModules`. */
  readonly listedModules: readonly string[];
  readonly autoUpgrade: boolean;
}

export interface PathDatabase {
  readonly name: string;
  readonly uid: number;
  readonly version: string;
  readonly replication: boolean;
  /** It has an object, where its version is written too. */
  readonly hasObject: boolean;
  /** What cluster and database say about the versions that it may be moved to (§2.2). */
  readonly policies: UpgradePolicies;
}

export interface PathModule {
  readonly name: string;
  readonly databases: readonly string[];
}

/** Where the plan shall end. */
export interface Goal {
  /** Operator version; its cluster comes along. */
  readonly release: string;
  /** Lowest Kubernetes minor wanted; as few steps as needed when absent. */
  readonly kubernetes?: string;
  /** Lowest version wanted for each database; as few steps as needed when absent. */
  readonly databases?: string;
}

/** A place on the way. */
export interface PathState {
  readonly operator: Release;
  readonly cluster: Release;
  readonly kubernetes: string | undefined;
  /** Every database is at this version or a later one; empty while none was raised. */
  readonly floor: string;
}

/** One move from a place to the next. */
export type Move =
  | { readonly stage: "operator"; readonly to: Release }
  | { readonly stage: "cluster"; readonly to: Release }
  | { readonly stage: "kubernetes"; readonly to: string }
  | { readonly stage: "databases"; readonly to: string };

/** The place that a move leads to. */
export function stateAfter(state: PathState, move: Move): PathState {
  switch (move.stage) {
    case "operator":
      return { ...state, operator: move.to };
    case "cluster":
      return { ...state, cluster: move.to };
    case "kubernetes":
      return { ...state, kubernetes: move.to };
    case "databases":
      return { ...state, floor: move.to };
  }
}

/** The versions of the databases at a place. */
export function versionsAt({ floor }: PathState, { databases }: PathFacts): readonly string[] {
  return databases.map(({ version }) => (isOlder(version, floor) ? floor : version));
}

/** True when both are versions and `a` is the older one. */
export function isOlder(a: string, b: string): boolean {
  return (compareVersionText(a, b) ?? 0) < 0;
}
