import { openShiftOf } from "./open-shift.ts";
import type { Release } from "./release.ts";

/** A distribution of Kubernetes, with its minor, for instance "1.33". */
export interface Distribution {
  readonly minor: string;
  readonly isOpenShift: boolean;
}

/** What a release says of a distribution: of OpenShift by its own minor, of any other by that of Kubernetes (§9 a). */
export interface DistributionSupport {
  /** `Kubernetes 1.33` or `OpenShift 4.20`. */
  readonly name: string;
  /** `unknown`: no OpenShift minor is known that has this Kubernetes. */
  readonly support: "supported" | "deprecated" | "unsupported" | "unknown";
  readonly supported: readonly string[];
  /** Minors that the release takes: those that are deprecated before those that are supported. */
  readonly takes: readonly string[];
}

/** Whether a release is supported on a distribution, by the list of the catalogue. */
export function distributionSupport(release: Release, { minor, isOpenShift }: Distribution): DistributionSupport {
  const { supported, deprecated } = isOpenShift ? release.openShift : release.kubernetes;
  const own = isOpenShift ? openShiftOf(minor) : minor;
  const takes = [...deprecated, ...supported];
  if (own === undefined) return { name: `OpenShift with Kubernetes ${minor}`, support: "unknown", supported, takes };
  const support = supported.includes(own) ? "supported" : deprecated.includes(own) ? "deprecated" : "unsupported";
  return { name: `${isOpenShift ? "OpenShift" : "Kubernetes"} ${own}`, support, supported, takes };
}
