import assert from "node:assert/strict";
import { releaseByOperator } from "../../../src/core/releases/catalogue/find.ts";
import type { OrderedWorld } from "./world.ts";

/** Does literally what a finding or a condition tells a user to do; false when it tells nothing that can be done. */
export function follow(world: OrderedWorld, remedy: string): boolean {
  const patch = /kubectl patch rec rec --type merge -p '(\{.*?\})'(?:$|[ ;,)])/.exec(remedy)?.[1];
  if (patch !== undefined) return patched(world, JSON.parse(patch));
  const ended = /curl -X POST .*\/v1\/nodes\/(\d+)\/actions\/maintenance_off/.exec(remedy)?.[1];
  if (ended !== undefined) {
    world.nodes.takeBack(Number(ended));
    return true;
  }
  const lost = /kubectl delete pod (\S+) --force/.exec(remedy)?.[1];
  if (lost !== undefined) {
    world.endByForce(lost);
    return true;
  }
  const made = /to make it again: kubectl delete pod rec-(\d+)/.exec(remedy)?.[1];
  if (made !== undefined) {
    world.deletePod(Number(made));
    return true;
  }
  const bundle = /apply the bundle of release (\S+) again/.exec(remedy)?.[1];
  const release = bundle === undefined ? undefined : releaseByOperator(bundle);
  if (release === undefined) return false;
  world.operator = release;
  world.written = undefined;
  return true;
}

function patched(world: OrderedWorld, body: unknown): boolean {
  const spec = childOf(body, "spec");
  const tag = childOf(childOf(spec, "storeEnterpriseImageSpec"), "versionTag");
  const nodes = childOf(spec, "nodes");
  const accepted = childOf(childOf(spec, "upgradeSpec"), "acceptUnknownVersion");
  const isKnown = [typeof tag, typeof accepted].includes("string") || typeof nodes === "number";
  assert.ok(isKnown, `a patch that this world knows: ${JSON.stringify(body)}`);
  if (typeof accepted === "string") world.asked = { ...world.asked, accepted };
  if (typeof tag === "string") world.asked = { ...world.asked, tag };
  if (typeof nodes === "number") world.asked = { ...world.asked, nodes };
  return true;
}

function childOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && key in value ? Reflect.get(value, key) : undefined;
}
