import { test } from "node:test";
import { startFrozenLane } from "../../kit/frozen/frozen-lane.ts";
import { liftMajorPolicy } from "../../kit/frozen/policy.ts";
import { playRound } from "../../kit/frozen/rounds.ts";

test("an operator that is killed whenever it waits still finishes upgrades that freeze for several causes", async () => {
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
});
