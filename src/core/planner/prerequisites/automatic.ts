import { patchCluster } from "../../api/kubectl.ts";
import { autoUpgradeContradicts, isAutoUpgrade } from "../view/target.ts";
import { modulesAgainstAutomatic } from "../modules/automatic-upgrade.ts";
import { block, notKnown } from "../findings/finding.ts";
import { askedByHand } from "./asked-by-hand.ts";
import { defineCheck, quotedNames } from "./check.ts";
import { customModules } from "./modules.ts";
import { digestPlaces, withoutDigests } from "./pinned-images.ts";

export const autoUpgradeIsConsistent = defineCheck({
  id: "AutoUpgradeContradiction",
  asks: "the two places of autoUpgradeStoreEnterprise agree",
  at: ["edit"],
  needs: [],
  find({ view: { name, spec } }) {
    if (!autoUpgradeContradicts(spec)) return undefined;
    return block(
      "AutoUpgradeContradiction",
      "spec.autoUpgradeStoreEnterprise and spec.upgradeSpec.autoUpgradeStoreEnterprise are both set and differ",
      patchCluster(name, { upgradeSpec: { autoUpgradeStoreEnterprise: null } }),
    );
  },
});

/** §3: blocked, with a warning event, until every digest is gone or the flag is. */
export const noDigestWithAutoUpgrade = defineCheck({
  id: "AutoUpgradeDigestConflict",
  asks: "no image is pinned by a digest while upgrade is automatic",
  at: ["edit"],
  needs: [],
  find(input) {
    const { name, spec } = input.view;
    const places = digestPlaces(spec).map((place) => `spec.${place}`);
    if (!isAutoUpgrade(spec) || places.length === 0) return undefined;
    return block(
      "AutoUpgradeDigestConflict",
      `automatic upgrade is on and a digestHash is set in ${places.join(", ")}`,
      `remove every digestHash: ${patchCluster(name, withoutDigests(spec))}; or upgrade by hand: ${patchCluster(name, askedByHand(input))}`,
    );
  },
});

/** §2.2, §4.3 rule 2. While the cluster does not answer, nobody knows what databases use. */
export const noUserModulesWithAutoUpgrade = defineCheck({
  id: "AutoUpgradeUserModules",
  asks: "upgrade is not automatic when databases use user-defined modules, or some are listed",
  at: ["edit"],
  needs: [],
  find(input) {
    const { view } = input;
    const { name: rec, spec, cluster } = view;
    if (!isAutoUpgrade(spec)) return undefined;
    const used = customModules(view);
    const listed = (spec.userDefinedModules ?? []).map(({ name }) => name);
    if (modulesAgainstAutomatic({ used: used.map(({ name }) => name), listed }).length === 0)
      return cluster.reachable
        ? undefined
        : notKnown("AutoUpgradeUserModules", `it is not known whether databases use modules: ${cluster.reason}`);
    const evidence = [
      ...used.map(
        ({ name, users }) => `${quotedNames(users)} ${users.length === 1 ? "uses" : "use"} the module ${name}`,
      ),
      ...(listed.length === 0 ? [] : [`user-defined modules are listed: ${listed.join(", ")}`]),
    ];
    return block(
      "AutoUpgradeUserModules",
      `automatic upgrade is on and ${evidence.join("; ")}`,
      input.step === undefined
        ? `upgrade by hand, and say so before the operator is upgraded: ${patchCluster(rec, askedByHand(input))}`
        : `upgrade by hand: ${patchCluster(rec, askedByHand(input))}`,
    );
  },
});
