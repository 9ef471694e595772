import { startFrozenLane } from "../../kit/frozen/frozen-lane.ts";
import { liftMajorPolicy } from "../../kit/frozen/policy.ts";
import { playRound } from "../../kit/frozen/rounds.ts";
import { scenario } from "../../specification/rule.ts";

scenario(
  "an operator that is killed whenever it waits still finishes upgrades that freeze for several causes",
  [
    "§5 the operator acts as its service account, bound by its binding",
    "§3 licence not valid → the upgrade fails",
    "§7 invalid licence → fails until a valid one is there",
    "§7 unsupported module → frozen until POST /v2/modules",
    "§6.2 unsupported module → event that names it",
    "§1.6 a step onto the newer base system asks for module builds of it",
    "§9 newer base system from 7.8.2-6 on",
    "§1.3 an upgrade started without its prerequisites freezes, and is recovered by hand",
    "§7 incompatible database version → frozen until the database is upgraded",
    "§6.3 incompatible database version → event that names it",
    "§9 databases 7.2 or later before cluster 7.8.2-6 or later",
    "§4.3.4 admission is reapplied step by step",
    "§2.2 storeUpgradePolicy or a version setting `major` keeps databases from minor versions",
    "§7 policy major → no minor version until the policy changes",
  ],
  async () => {
    await using lane = await startFrozenLane("killed", { isKilled: true });
    await playRound(lane, [
      ["permissions", "the command of the remedy"],
      ["licence", "the API"],
      ["unsupportedModule", "the API"],
      ["unschedulable", "a label on a worker"],
    ]);
    await playRound(lane, [
      ["oldDatabase", "the API"],
      ["staleWebhook", "the command of the remedy"],
    ]);
    await liftMajorPolicy(lane, "the cluster");
  },
);
