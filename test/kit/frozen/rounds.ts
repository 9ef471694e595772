import assert from "node:assert/strict";
import { OPERATOR_NAME } from "../../../src/core/api/names.ts";
import { step } from "../scenario/step.ts";
import { beginFrozen } from "./begin.ts";
import type { CaseName } from "./cases.ts";
import { expectArrived, expectEndLogged, expectFrozen, expectResumed, type FrozenSeen } from "./checks.ts";
import type { FrozenCase } from "./frozen-case.ts";
import type { FrozenLane } from "./frozen-lane.ts";
import type { Rec } from "./lane.ts";

/** Causes that stand in the way of one upgrade, in the order in which they are cleared, each with how. */
export type Round = readonly (readonly [name: CaseName, by: string])[];

/** What a user saw of a round: each cause while it froze the upgrade, and the cluster once it arrived. */
export interface RoundSeen {
  frozenBy(name: CaseName): FrozenSeen;
  readonly arrived: Rec;
}

/** One upgrade to the next release: it is prepared, freezes for each cause, goes on when that is cleared, and arrives. */
export function playRound(lane: FrozenLane, round: Round): Promise<RoundSeen> {
  return step(`${lane.namespace}: ${round.map((cause) => cause.join(", by ")).join("; ")}`, () => play(lane, round));
}

const OPERATOR_PODS = `kubectl get pods -l name=${OPERATOR_NAME} -o name`;

async function play(lane: FrozenLane, round: Round): Promise<RoundSeen> {
  const all: readonly FrozenCase[] = round.map(([name]) => lane.cases[name]);
  await beginFrozen(lane, all);
  const restarts = await lane.restarts();
  const seen = new Map<CaseName, FrozenSeen>();
  for (const [name, by] of round) {
    seen.set(name, await expectFrozen(lane, lane.cases[name]));
    if (lane.isKilled) await lane.killOperator();
    const operator = await lane.sh(OPERATOR_PODS);
    const recoveries: FrozenCase["recoveries"] = lane.cases[name].recoveries;
    const recover = recoveries[by];
    assert.ok(recover, `there is no recovery by ${by}`);
    await recover(lane);
    await expectResumed(lane, lane.cases[name], round.at(-1)?.[0] === name);
    // a recovery that goes back to the older operator ends the pod that logged the cause
    if ((await lane.sh(OPERATOR_PODS)) === operator) await expectEndLogged(lane, lane.cases[name]);
  }
  const arrived = await expectArrived(lane);
  if (lane.isKilled) assert.ok((await lane.restarts()) > restarts, "the operator was not started again");
  for (const one of all) await one.after?.(lane);
  const frozenBy = (name: CaseName): FrozenSeen => {
    const found = seen.get(name);
    if (found === undefined) throw new Error(`${name} is no cause of this round`);
    return found;
  };
  return { frozenBy, arrived };
}
