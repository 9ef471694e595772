import assert from "node:assert/strict";
import { proves } from "../specification/proves.ts";
import { step } from "../scenario/step.ts";
import { until } from "#kit/testing/until";
import { beginFrozen } from "./begin.ts";
import { expectArrived, expectFrozen, isReported } from "./checks.ts";
import { makeDatabase, upgradeDatabase } from "./databases.ts";
import type { FrozenLane } from "./frozen-lane.ts";

/** What was done through the API stays, and the patch that ends the drift is reported (§7). */
export function reportDrift(lane: FrozenLane): Promise<void> {
  return step(`${lane.namespace}: drift is reported`, async () => {
    const drifted = (value: string) =>
      lane.database(
        "orders",
        `Drifted is ${value}`,
        ({ status }) => status?.conditions?.find(({ type }) => type === "Drifted")?.status === value,
      );
    await makeDatabase(lane, "orders", { storeVersion: "7.2" });
    await beginFrozen(lane, [lane.cases.unknownTag]);
    await expectFrozen(lane, lane.cases.unknownTag);
    await upgradeDatabase(lane, "orders", "7.4");
    await lane.cases.unknownTag.recoveries["the CR"](lane);
    await expectArrived(lane);
    const { status } = await drifted("True");
    const condition = status?.conditions?.find(({ type }) => type === "Drifted");
    assert.equal(condition?.reason, "UpgradedByHand");
    const patch = /kubectl patch redb orders .*'$/.exec(condition.message)?.[0];
    assert.ok(patch, condition.message);
    await until("an event", () => isReported(lane, "orders", "UpgradedByHand", /is at 7\.4/, /kubectl patch/), {
      withinMs: 30_000,
    });
    await lane.sh(patch);
    const after = await drifted("False");
    proves(
      "§7 prerequisites unmet → frozen; fixed through the API; then written into the CR",
      "storeVersion and status.version after the patch that the condition Drifted names: what was done through the API while frozen",
    ).deepEqual([after.spec.storeVersion, after.status?.version?.slice(0, 3)], ["7.4", "7.4"]);
  });
}
