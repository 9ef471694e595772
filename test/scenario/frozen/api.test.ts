import { startFrozenLane } from "../../kit/frozen/frozen-lane.ts";
import { liftMajorPolicy } from "../../kit/frozen/policy.ts";
import { playRound, reportDrift } from "../../kit/frozen/rounds.ts";
import { scenario } from "../../specification/rule.ts";

scenario(
  "upgrades that freeze go on when their causes are cleared through the API",
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
    "§3 digestHash + auto → InvalidUpgrade + warning event, and the upgrade is blocked",
    "§3 digestHash removed → the upgrade proceeds",
    "§3 digestHash kept, auto off → upgraded by hand",
    "§6.1 digestHash + auto → warning event on the REC, seen with describe",
    "§7 digest with automatic upgrade → blocked until one of both is gone",
    "§2.2 digestHash may stand in each of the four image specs",
    "§2.2 autoUpgradeStoreEnterprise true → the REC follows the operator; false or unset → by hand",
    "§1.4 the REC is upgraded automatically or by hand",
    "§5 the operator acts as its service account, bound by its binding",
    "§3 configuration error during an upgrade → InvalidUpgrade",
    "§7 configuration error → InvalidUpgrade, explained by describe and the log",
    "§2.2 storeUpgradePolicy or a version setting `major` keeps databases from minor versions",
    "§7 policy major → no minor version until the policy changes",
    "§7 prerequisites unmet → frozen; fixed through the API; then written into the CR",
  ],
  async () => {
    await using lane = await startFrozenLane("api");
    await playRound(lane, [["unsupportedModule", "the API"]]);
    await playRound(lane, [["oldDatabase", "the API"]]);
    await playRound(lane, [["licence", "the API"]]);
    await playRound(lane, [["download", "the API"]]);
    await playRound(lane, [["digest", "the CR, by hand"]]);
    await playRound(lane, [["permissions", "the command of the remedy"]]);
    await playRound(lane, [["configuration", "the CR"]]);
    await liftMajorPolicy(lane, "the database");
    await reportDrift(lane);
  },
);
