import type { ClusterSpec } from "../../api/cluster-spec.ts";

/** The parts of a spec that pin an image by its digest, as paths below `spec`. */
export function digestPlaces(spec: ClusterSpec): readonly string[] {
  const usage = (spec.usageMeter?.callHomeClient?.imageSpec?.digestHash ?? "") === "" ? [] : [USAGE];
  return [...PINNED.filter((place) => (spec[place]?.digestHash ?? "") !== ""), ...usage];
}

/** The change of the spec that removes every digest of an image (§3). */
export function withoutDigests(spec: ClusterSpec): object {
  const places = digestPlaces(spec);
  const images = places.filter((place) => place !== USAGE).map((place) => [place, { digestHash: null }]);
  const usage = places.includes(USAGE) ? { usageMeter: { callHomeClient: { imageSpec: { digestHash: null } } } } : {};
  return Object.assign(Object.fromEntries(images), usage);
}

const PINNED = [
  "storeEnterpriseImageSpec",
  "storeEnterpriseServicesRiggerImageSpec",
  "bootstrapperImageSpec",
] as const satisfies readonly (keyof ClusterSpec)[];

const USAGE = "usageMeter.callHomeClient.imageSpec";
