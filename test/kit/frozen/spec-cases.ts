import type { ModuleRepository } from "../modules/module-repository.ts";
import { uploadModule } from "../../../src/core/api/kubectl.ts";
import { tallyArchive } from "../modules/module-archive.ts";
import type { FrozenCase } from "./frozen-case.ts";
import { listed } from "./modules.ts";
import { runRemedy } from "./remedy.ts";

/** Cases whose cause lies in the spec of the cluster, or behind a URL in it. */
export function specCases(modules: ModuleRepository) {
  return { ...versionCases(), ...moduleCases(modules) };
}

/** What the spec asks for is no version that the cluster may go to. */
function versionCases() {
  return {
    configuration: {
      spec: () => ({ autoUpgradeStoreEnterprise: false, upgradeSpec: { autoUpgradeStoreEnterprise: true } }),
      state: "InvalidUpgrade",
      reason: "AutoUpgradeContradiction",
      evidence: /are both set and differ/,
      remedy: /kubectl patch rec rec /,
      recoveries: { "the CR": runRemedy("AutoUpgradeContradiction") },
    },
    digest: {
      automatic: true,
      spec: () => ({ usageMeter: { callHomeClient: { imageSpec: { digestHash: `sha256:${"0".repeat(64)}` } } } }),
      state: "InvalidUpgrade",
      reason: "AutoUpgradeDigestConflict",
      evidence: /usageMeter\.callHomeClient\.imageSpec/,
      remedy: /remove every digestHash: kubectl patch rec rec .*; or upgrade by hand: kubectl patch rec rec /,
      recoveries: {
        "the CR, by removing it": runRemedy("AutoUpgradeDigestConflict", () => ({ naming: "digestHash" })),
        "the CR, by hand": runRemedy("AutoUpgradeDigestConflict", () => ({ naming: "versionTag" })),
      },
      after: (lane) => lane.patch({ autoUpgradeStoreEnterprise: false, usageMeter: null }),
    },
    unknownTag: {
      spec: () => ({ storeEnterpriseImageSpec: { versionTag: "9.9.9-99" } }),
      state: "InvalidUpgrade",
      reason: "UnknownImageTag",
      evidence: /"9\.9\.9-99", which is in no release/,
      remedy: /kubectl patch rec rec .*versionTag/,
      recoveries: { "the CR": runRemedy("UnknownImageTag") },
    },
  } satisfies Record<string, FrozenCase>;
}

/** The modules that the spec lists cannot be installed, or forbid an automatic upgrade. */
function moduleCases(modules: ModuleRepository) {
  return {
    automaticWithModules: {
      automatic: true,
      spec: () => listed(modules, "Tally", "tally.zip"),
      state: "InvalidUpgrade",
      reason: "AutoUpgradeUserModules",
      evidence: /user-defined modules are listed: Tally/,
      remedy: /upgrade by hand.*: kubectl patch rec rec /,
      recoveries: { "the CR": runRemedy("AutoUpgradeUserModules") },
    },
    moduleName: {
      spec: () => listed(modules, "counter", "tally.zip"),
      state: "InvalidUpgrade",
      reason: "UserModuleInvalid",
      evidence: /listed as "counter".*module_name "tally".*display_name "Tally"/,
      remedy: /kubectl edit rec rec .*userDefinedModules/,
      recoveries: {
        "the CR": runRemedy("UserModuleInvalid", () => ({ editing: "s/name: counter/name: Tally/" })),
      },
    },
    download: {
      spec: (lane) => listed(modules, "Tally", `${lane.namespace}.zip`),
      state: "InvalidUpgrade",
      reason: "UserModuleInvalid",
      evidence: /the server answers 404/,
      remedy: /the upgrade continues once the module can be installed/,
      recoveries: {
        "the API": async (lane) => {
          const archive = await tallyArchive({ version: "1.3.0", compatible: "7.2" });
          await lane.sh(uploadModule("rec", await lane.file("tally.zip", archive)));
        },
        "the CR": runRemedy("UserModuleInvalid", ({ namespace }) => ({ editing: `s/${namespace}.zip/tally.zip/` })),
        "the module server": async (lane) => {
          modules.put(`${lane.namespace}.zip`, await tallyArchive({ version: "1.1.0", compatible: "7.2" }));
        },
      },
    },
  } satisfies Record<string, FrozenCase>;
}
