import type { FrozenCase } from "./frozen-case.ts";
import type { Lane } from "./lane.ts";

/** Begins an upgrade that lacks what each of these cases lacks. */
export async function beginFrozen(lane: Lane, cases: readonly FrozenCase[]): Promise<void> {
  // what is cleared last is prepared first: without a licence, for instance, no database can be made
  for (const { before } of cases.toReversed()) await before?.(lane);
  const isAutomatic = cases.some(({ automatic }) => automatic === true);
  const specs = cases.map(({ spec }) => spec?.(lane) ?? {});
  const images = specs.map(({ storeEnterpriseImageSpec }) => storeEnterpriseImageSpec ?? {});
  const spec = Object.assign({ ...PLAIN, autoUpgradeStoreEnterprise: isAutomatic }, ...specs);
  const spoil = async (): Promise<void> => {
    for (const one of cases) await one.spoil?.(lane);
  };
  if (isAutomatic) {
    // a webhook that is stale refuses edits: what is wrong is written before, and noticed at once
    await lane.patch(spec);
    await spoil();
    return lane.nextOperator();
  }
  await lane.nextOperator();
  await spoil();
  const tag = tagOf(lane).storeEnterpriseImageSpec;
  await lane.patch({ ...spec, storeEnterpriseImageSpec: Object.assign({}, tag, ...images) });
}

/** What earlier cases may have left in the spec. */
const PLAIN = { userDefinedModules: null, nodeSelector: null };

/** The tag that the lane is on its way to, as a part of the spec. */
export function tagOf(lane: Lane): { readonly storeEnterpriseImageSpec: { readonly versionTag: string } } {
  return { storeEnterpriseImageSpec: { versionTag: lane.to().nodeTag } };
}
