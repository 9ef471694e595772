import { test } from "node:test";
import { startFrozenLane } from "../../kit/frozen/frozen-lane.ts";
import { playRound } from "../../kit/frozen/rounds.ts";

// What a cause needs is given when its turn comes: until then storectl says what it lacks, and does the rest.
test("upgrades that freeze go on when storectl recover clears their causes", async () => {
  await using lane = await startFrozenLane("storectl");
  await playRound(lane, [
    ["licence", "storectl"],
    ["unsupportedModule", "storectl"],
  ]);
  await playRound(lane, [["oldDatabase", "storectl"]]);
});
