import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEffect, newKey } from "../../../core/merge/state/key-state.ts";
import { originOf } from "../../../core/merge/operations/origin.ts";
import { NOTHING } from "../../../core/merge/operations/version-vector.ts";
import { differingKey } from "./differing-key.ts";

const SINCE = "2026-11-28T12:00:00.000Z";
const difference = { hasOtherType: false, elements: [], hasOtherTime: false };

test("a key that differs is shown with what each site holds, and with the last write that is known of it", () => {
  const state = newKey(NOTHING);
  for (const seq of [2, 1]) {
    const dot = { origin: originOf(3, 1), seq };
    const at = { wall: Date.parse(SINCE) + 1_000 * seq, count: 0, site: dot.origin };
    const put = { kind: "put", type: "set", key: "k", element: `m${seq}`, value: "" } as const;
    applyEffect(state, put, { dot, at, seen: NOTHING, effects: [put] });
  }
  const elements = new Map([["m2", ""]]);
  const held = { type: "set", elements, until: Date.parse(SINCE) } as const;
  const here = { held, state, received: NOTHING };
  const there = {
    held: { type: undefined, elements: new Map<string, string>(), until: undefined },
    state: newKey(NOTHING),
    received: NOTHING,
  };
  assert.deepEqual(differingKey({ key: "k", here, there, difference }, SINCE), {
    key: "k",
    here: `a set of 1 elements, until ${SINCE}, written by site 3 at 2026-11-28T12:00:02.000Z`,
    there: "nothing",
    since: SINCE,
  });
});
