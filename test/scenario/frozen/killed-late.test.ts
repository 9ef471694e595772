import assert from "node:assert/strict";
import { test } from "node:test";
import { startFrozenLane, type FrozenLane } from "../../kit/frozen/frozen-lane.ts";
import { playRound, type RoundSeen } from "../../kit/frozen/rounds.ts";
import { listAnotherModule, meetUnsupportedKubernetes } from "../../kit/frozen/closing-rounds.ts";
import { proves } from "../../kit/specification/proves.ts";

test("an operator that is killed whenever it waits still finishes later upgrades, lists modules and meets a Kubernetes that is too old", async () => {
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
  const seen = await playRound(lane, [
    ["digest", "the CR, by removing it"],
    ["automaticWithModules", "the CR"],
  ]);
  proveByHand(seen, lane);
  await listAnotherModule(lane);
  await meetUnsupportedKubernetes(lane);
});

function proveByHand({ frozenBy, arrived }: RoundSeen, lane: FrozenLane): void {
  const { state, moved, event } = frozenBy("automaticWithModules");
  proves(
    "§2.2 autoUpgradeStoreEnterprise must be false when databases use user-defined modules",
    "STATE, the number of new nodes and the warning event with both",
  ).match(`${state} ${moved} ${event}`, /^InvalidUpgrade 0 AutoUpgradeUserModules .*are listed: Tally/);
  assert.deepEqual(
    [arrived.status?.version, arrived.spec.userDefinedModules?.map(({ name }) => name)],
    [lane.to().nodeTag, ["Tally"]],
  );
}
