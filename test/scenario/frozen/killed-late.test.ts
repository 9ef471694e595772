import { startFrozenLane } from "../../kit/frozen/frozen-lane.ts";
import { playRound } from "../../kit/frozen/rounds.ts";
import { listAnotherModule, meetUnsupportedKubernetes } from "../../kit/frozen/closing-rounds.ts";
import { scenario } from "../../specification/rule.ts";

scenario(
  "an operator that is killed whenever it waits still finishes later upgrades, lists modules and meets a Kubernetes that is too old",
  [
    "§3 configuration error during an upgrade → InvalidUpgrade",
    "§7 configuration error → InvalidUpgrade, explained by describe and the log",
    "§2.2 the name of a user-defined module is one of its manifest",
    "§7 module name and manifest differ → refused until they are equal",
    "§4.1 module errors and events are seen with describe rec",
    "§2.2 userDefinedModules: name, source.https.url and credentialsSecret",
    "§7 prerequisites of user-defined modules unmet → named by describe",
    "§2.2 a changed versionTag starts the rolling upgrade",
    "§3 digestHash + auto → InvalidUpgrade + warning event, and the upgrade is blocked",
    "§3 digestHash removed → the upgrade proceeds",
    "§3 digestHash kept, auto off → upgraded by hand",
    "§6.1 digestHash + auto → warning event on the REC, seen with describe",
    "§7 digest with automatic upgrade → blocked until one of both is gone",
    "§2.2 digestHash may stand in each of the four image specs",
    "§2.2 autoUpgradeStoreEnterprise true → the REC follows the operator; false or unset → by hand",
    "§1.4 the REC is upgraded automatically or by hand",
    "§2.2 autoUpgradeStoreEnterprise must be false while user-defined modules are listed",
    "§4.3.2 with user-defined modules, automatic upgrade is off before the operator is upgraded",
    "§2.2 a changed userDefinedModules list restarts the pods one by one",
    "§4.3.6 the REC is upgraded, its modules defined before any database uses them",
    "§9 the Kubernetes version is one that the target supports",
    "§9 other targets: the release says its minimum, intermediate upgrades are named",
  ],
  async () => {
    await using lane = await startFrozenLane("killed", { from: "7.8.4-8", isKilled: true });
    await playRound(lane, [
      ["configuration", "the CR"],
      ["moduleName", "the CR"],
    ]);
    await playRound(lane, [
      ["unknownTag", "the CR"],
      ["download", "the module server"],
      ["noImage", "the CR"],
    ]);
    await playRound(lane, [
      ["digest", "the CR, by removing it"],
      ["automaticWithModules", "the CR"],
    ]);
    await listAnotherModule(lane);
    await meetUnsupportedKubernetes(lane);
  },
);
