import { parseQuantity } from "../../base/quantity.ts";
import type { ClusterFacts } from "./cluster-facts.ts";
import { forbidden, invalid, type Objection } from "./objection.ts";

/** A quantity of more than nothing. */
export function volumeSizeIsAQuantity({ spec }: ClusterFacts): readonly Objection[] {
  const { volumeSize } = spec.persistentSpec;
  if (parseQuantity(volumeSize) > 0) return [];
  return [invalid("spec.persistentSpec.volumeSize", volumeSize, "it is no size", 'write for instance "20Gi"')];
}

/** What Kubernetes cannot change about a volume that is there; sizes only grow. */
export function volumesAreKept({ spec, before }: ClusterFacts): readonly Objection[] {
  if (before === undefined) return [];
  const [now, then] = [spec.persistentSpec, before.persistentSpec];
  const fixed = (["enabled", "storageClassName"] as const)
    .filter((field) => now[field] !== then[field])
    .map((field) =>
      forbidden(
        `spec.persistentSpec.${field}`,
        `it is ${JSON.stringify(then[field] ?? null)} and cannot change while the cluster is there`,
        "set it back",
      ),
    );
  const shrinks = parseQuantity(now.volumeSize) < parseQuantity(then.volumeSize);
  if (!shrinks) return fixed;
  const why = `volumes only grow, and they have ${then.volumeSize}`;
  return [...fixed, forbidden("spec.persistentSpec.volumeSize", why, `set it to "${then.volumeSize}" or more`)];
}
