import { parseQuantity } from "#kit/base/quantity";
import type { ClusterView } from "./cluster-view.ts";

/** Sizes as they are written. */
export interface VolumeGrowth {
  readonly from: string;
  readonly to: string;
}

/** A volume that cannot grow. */
export interface GrowthRefusal {
  readonly claim: string;
  /** Empty when the claim names none. */
  readonly storageClass: string;
  /** What Kubernetes says of it. */
  readonly why: string;
}

/**
 * The growth of the volumes that the spec asks for; undefined when it asks for none. The StatefulSet gets the new size last,
 * so it is under way as long as that has the old one.
 */
export function volumeGrowth({ spec, workload }: Pick<ClusterView, "spec" | "workload">): VolumeGrowth | undefined {
  const from = workload?.volumes?.size;
  const { enabled, volumeSize: to } = spec.persistentSpec;
  if (!enabled || from === undefined || !(parseQuantity(to) > parseQuantity(from))) return undefined;
  return { from, to };
}
