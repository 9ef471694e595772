import { mergeObject, patchCluster } from "../../api/kubectl.ts";
import type { ClusterSpec } from "../../api/cluster-spec.ts";
import { parseQuantity } from "#kit/base/quantity";
import type { ReviewedCluster } from "./reviewed-cluster.ts";
import type { GrowthRefusal } from "../view/volume-growth.ts";
import { forbiddenValue, invalidValue, type Objection } from "./objection.ts";

type Volumes = ClusterSpec["persistentSpec"];

/** A quantity of more than nothing. */
export function volumeSizeIsValid({ spec }: ReviewedCluster): readonly Objection[] {
  const { volumeSize } = spec.persistentSpec;
  if (parseQuantity(volumeSize) > 0) return [];
  return [invalidValue("spec.persistentSpec.volumeSize", volumeSize, "it is no size", 'write for instance "20Gi"')];
}

/** What Kubernetes cannot change about volumes that are there. A size that no volume has been asked for can be taken back. */
export function volumesAreUnchanged({ name, spec, before, askedSize }: ReviewedCluster): readonly Objection[] {
  if (before === undefined) return [];
  return volumeObjections(
    name,
    spec.persistentSpec,
    before.persistentSpec,
    askedSize ?? before.persistentSpec.volumeSize,
  );
}

/** The same for a spec that is there, `has` being what its StatefulSet says of the volumes and `least` the smallest size allowed. */
export function volumeObjections(name: string, wanted: Volumes, has: Volumes, least: string): readonly Objection[] {
  const fixed = (["enabled", "storageClassName"] as const)
    .filter((field) => wanted[field] !== has[field])
    .map((field) =>
      forbiddenValue(
        `spec.persistentSpec.${field}`,
        `it is ${JSON.stringify(has[field] ?? null)} and cannot change while the cluster is there`,
        patchCluster(name, { persistentSpec: { [field]: has[field] ?? null } }),
      ),
    );
  const size = parseQuantity(wanted.volumeSize);
  const shrinks = size < parseQuantity(least) && size < parseQuantity(has.volumeSize);
  if (!shrinks) return fixed;
  const back = patchCluster(name, { persistentSpec: { volumeSize: least } });
  const why = `it is ${wanted.volumeSize}, volumes never shrink, and those of this cluster were given ${least}`;
  return [...fixed, forbiddenValue("spec.persistentSpec.volumeSize", why, back, "VolumeSize")];
}

/** Kubernetes was asked, without effect, whether the volumes may grow to the size that is wanted. */
export function volumesMayGrow({ name, spec, before, growthRefusal }: ReviewedCluster): readonly Objection[] {
  if (growthRefusal === undefined || before === undefined) return [];
  return [refusedGrowth(name, spec.persistentSpec.volumeSize, before.persistentSpec.volumeSize, growthRefusal)];
}

/** The volumes cannot grow to the size that is wanted. */
export function refusedGrowth(name: string, wanted: string, has: string, refusal: GrowthRefusal): Objection {
  const { claim, storageClass, why: said } = refusal;
  const back = `write the size as it was: ${patchCluster(name, { persistentSpec: { volumeSize: has } })}`;
  const allow = mergeObject("storageclass", storageClass, { allowVolumeExpansion: true });
  const [kept, remedy] =
    storageClass === ""
      ? ["names no storage class", back]
      : [`is of storage class "${storageClass}"`, `let its driver resize volumes: ${allow}; or ${back}`];
  const why = `the volumes cannot grow from ${has} to ${wanted}: ${claim} ${kept}, and Kubernetes refuses it: ${said}`;
  return forbiddenValue("spec.persistentSpec.volumeSize", why, remedy, "VolumeGrowthRefused");
}
