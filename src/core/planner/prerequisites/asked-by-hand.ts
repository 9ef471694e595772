import type { CheckInput } from "./check-input.ts";

/** The change of the spec that switches automatic upgrade off and asks for the release that it was to bring. */
export function askedByHand({ view, step }: Pick<CheckInput, "view" | "step">): object {
  const off = { autoUpgradeStoreEnterprise: false, upgradeSpec: { autoUpgradeStoreEnterprise: null } };
  return step === undefined ? off : { ...off, storeEnterpriseImageSpec: { versionTag: view.release.nodeTag } };
}
