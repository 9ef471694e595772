import { parseQuantity } from "../../base/quantity.ts";
import type { ReviewedCluster } from "./reviewed-cluster.ts";
import { forbiddenValue, invalidValue, type Objection } from "./objection.ts";

/** A quantity of more than nothing. */
export function volumeSizeIsValid({ spec }: ReviewedCluster): readonly Objection[] {
  const { volumeSize } = spec.persistentSpec;
  if (parseQuantity(volumeSize) > 0) return [];
  return [invalidValue("spec.persistentSpec.volumeSize", volumeSize, "it is no size", 'write for instance "20Gi"')];
}

/** What Kubernetes cannot change about a volume that is there; sizes only grow. */
export function volumesAreUnchanged({ spec, before }: ReviewedCluster): readonly Objection[] {
  if (before === undefined) return [];
  const [now, then] = [spec.persistentSpec, before.persistentSpec];
  const fixed = (["enabled", "storageClassName"] as const)
    .filter((field) => now[field] !== then[field])
    .map((field) =>
      forbiddenValue(
        `spec.persistentSpec.${field}`,
        `it is ${JSON.stringify(then[field] ?? null)} and cannot change while the cluster is there`,
        "set it back",
      ),
    );
  const shrinks = parseQuantity(now.volumeSize) < parseQuantity(then.volumeSize);
  if (!shrinks) return fixed;
  const why = `volumes only grow, and they have ${then.volumeSize}`;
  return [...fixed, forbiddenValue("spec.persistentSpec.volumeSize", why, `set it to "${then.volumeSize}" or more`)];
}
