import { startFrozenLane } from "../../kit/frozen/frozen-lane.ts";
import { liftMajorPolicy } from "../../kit/frozen/policy.ts";
import { playRound } from "../../kit/frozen/rounds.ts";
import { scenario } from "../../specification/rule.ts";

scenario(
  "upgrades that freeze go on when their causes are cleared in the custom resource",
  [
    "§7 unsupported module → frozen until POST /v2/modules",
    "§6.2 unsupported module → event that names it",
    "§1.6 a step onto the newer base system asks for module builds of it",
    "§9 newer base system from 7.8.2-6 on",
    "§7 incompatible database version → frozen until the database is upgraded",
    "§6.3 incompatible database version → event that names it",
    "§9 databases 7.2 or later before cluster 7.8.2-6 or later",
    "§1.3 an upgrade started without its prerequisites freezes, and is recovered by hand",
    "§3 licence not valid → the upgrade fails",
    "§7 invalid licence → fails until a valid one is there",
    "§2.2 userDefinedModules: name, source.https.url and credentialsSecret",
    "§7 prerequisites of user-defined modules unmet → named by describe",
    "§2.2 the name of a user-defined module is one of its manifest",
    "§7 module name and manifest differ → refused until they are equal",
    "§4.1 module errors and events are seen with describe rec",
    "§3 configuration error during an upgrade → InvalidUpgrade",
    "§4.3.4 admission is reapplied step by step",
    "§2.2 storeUpgradePolicy or a version setting `major` keeps databases from minor versions",
    "§7 policy major → no minor version until the policy changes",
  ],
  async () => {
    await using lane = await startFrozenLane("cr");
    await playRound(lane, [["unsupportedModule", "the CR"]]);
    await playRound(lane, [["oldDatabase", "the CR"]]);
    await playRound(lane, [["licence", "the CR"]]);
    await playRound(lane, [["download", "the CR"]]);
    await playRound(lane, [["moduleName", "the CR"]]);
    await playRound(lane, [["unknownTag", "the CR"]]);
    await playRound(lane, [["unschedulable", "the CR"]]);
    await playRound(lane, [["staleWebhook", "the command of the remedy"]]);
    await liftMajorPolicy(lane, "the cluster");
  },
);
