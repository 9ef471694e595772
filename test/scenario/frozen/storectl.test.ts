import { startFrozenLane } from "../../kit/frozen/frozen-lane.ts";
import { playRound } from "../../kit/frozen/rounds.ts";
import { scenario } from "../../specification/rule.ts";

// What a cause needs is given when its turn comes: until then storectl says what it lacks, and does the rest.
scenario(
  "upgrades that freeze go on when storectl recover clears their causes",
  [
    "§3 licence not valid → the upgrade fails",
    "§7 invalid licence → fails until a valid one is there",
    "§7 unsupported module → frozen until POST /v2/modules",
    "§6.2 unsupported module → event that names it",
    "§1.6 a step onto the newer base system asks for module builds of it",
    "§9 newer base system from 7.8.2-6 on",
    "§7 incompatible database version → frozen until the database is upgraded",
    "§6.3 incompatible database version → event that names it",
    "§9 databases 7.2 or later before cluster 7.8.2-6 or later",
    "§1.3 an upgrade started without its prerequisites freezes, and is recovered by hand",
  ],
  async () => {
    await using lane = await startFrozenLane("storectl");
    await playRound(lane, [
      ["licence", "storectl"],
      ["unsupportedModule", "storectl"],
    ]);
    await playRound(lane, [["oldDatabase", "storectl"]]);
  },
);
