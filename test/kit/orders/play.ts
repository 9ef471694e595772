import assert from "node:assert/strict";
import { seededDice, type Dice } from "../world/chaos.ts";
import { ORDERS } from "./orders.ts";
import { follow } from "./remedy.ts";
import { revisionOf } from "./stateful-set.ts";
import { OrderedWorld } from "./world.ts";

/** Orders that one schedule gives, and turns between two of them at most. */
const GIVEN = 12;
const TURNS = 30;
/** After so many rounds without a new order everything has come to rest; after so many without a change it has. */
const ROUNDS = 300;
const STILL = 3;
const REMEDIES = 15;

/** Plays the schedule of `seed`: hostile orders in random order. Throws, with what happened, when a rule of the roll is broken. */
export function playOrders(seed: number): void {
  const dice = seededDice(seed);
  const world = new OrderedWorld(dice() < 0.3);
  try {
    for (let given = 0; given < GIVEN; given += 1) {
      for (let turns = Math.floor(dice() * TURNS); turns > 0; turns -= 1) turn(world, dice);
      order(world, dice);
    }
    end(world);
  } catch (error) {
    throw new Error(
      `seed ${seed}: ${error instanceof Error ? error.message : String(error)}\n${world.said.join("\n")}`,
      {
        cause: error,
      },
    );
  }
}

function turn(world: OrderedWorld, dice: Dice): void {
  const kind = Math.floor(dice() * 6);
  if (kind <= 1) world.operate();
  else if (kind === 2) world.control();
  else if (kind === 3) world.run();
  else if (kind === 4) world.nodes.lead();
  else world.nodes.sync();
}

function order(world: OrderedWorld, dice: Dice): void {
  const given = ORDERS[Math.floor(dice() * ORDERS.length)]?.(world, dice);
  if (given !== undefined) world.said.push(`order: ${given}`);
}

/** Without further orders, and with each remedy followed, the cluster ends at rest at the release of its operator. */
function end(world: OrderedWorld): void {
  world.operatorRuns = true;
  for (let remedies = 0; ; remedies += 1) {
    settle(world);
    const remedy = remedyOf(world);
    if (remedy === undefined) return assertEnded(world);
    assert.ok(remedies < REMEDIES, `remedies end it: ${remedy}`);
    world.said.push(`remedy: ${remedy}`);
    if (!follow(world, remedy)) {
      assert.ok(!world.licensed && /licen[cs]e/i.test(remedy), `a remedy can be followed: ${remedy}`);
      world.licensed = true;
    }
  }
}

function settle(world: OrderedWorld): void {
  let before = "";
  for (let rounds = 0, still = 0; still < STILL; rounds += 1) {
    assert.ok(rounds < ROUNDS, "everything comes to rest");
    world.operate();
    world.control();
    world.run();
    world.nodes.lead();
    world.nodes.sync();
    const pods = world.pods.map((pod) => ({
      ...pod,
      endsInMs: pod.deleting && pod.endsInMs !== undefined && pod.endsInMs > -10_000 ? pod.endsInMs : 0,
    }));
    const now = JSON.stringify([world.set, pods, world.nodes.records(), world.asked, world.last?.step]);
    still = now === before ? still + 1 : 0;
    before = now;
  }
}

/** What a user is to do; undefined when nothing is left. A cluster that waits says for what. */
function remedyOf(world: OrderedWorld): string | undefined {
  const { last } = world;
  assert.ok(last !== undefined, "the operator has decided");
  const { step, findings, suspension } = last;
  assert.notEqual(step.kind, "act", "the operator comes to rest");
  const [finding] = findings.filter(({ severity }) => severity === "block" || severity === "wait");
  if (finding !== undefined) {
    assert.notEqual(finding.evidence, "", `${finding.id} has evidence`);
    return finding.remedy;
  }
  if (step.kind === "wait") assert.fail(`a wait without a finding: ${step.wait.id}: ${step.wait.evidence}`);
  return suspension?.evidence;
}

function assertEnded(world: OrderedWorld): void {
  const { operator, pods, set, last, asked } = world;
  assert.equal(last?.state, "Running");
  const revision = revisionOf({ ...set.template, tag: operator.nodeTag, note: asked.note });
  const made = pods.map((pod) => `${pod.revision}, in service: ${pod.inService}`);
  assert.deepEqual(
    made,
    Array.from({ length: asked.nodes }, () => `${revision}, in service: true`),
  );
  // another writer that scaled up and down has left a higher one
  assert.ok(set.partition >= set.replicas, "no pod is replaced without the operator");
  const nodes = world.nodes.records().nodes.filter(({ uid }) => uid <= asked.nodes);
  assert.deepEqual(
    nodes.map(({ tag }) => tag),
    made.map(() => operator.nodeTag),
  );
}
