import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { FakeClock } from "#kit/testing/fake-clock";
import { vectorOf } from "../../core/merge/operations/version-vector.ts";
import { ALL_KEYS } from "./saved/slice.ts";
import { askingSites } from "./site-wait.ts";
import { SiteWaits, type SiteWaitsOptions } from "./site-waits.ts";

/** What a client is answered that waits for two sites, both of which keep what was written; `differing`: sites with a key that differs. */
async function answersTo(differing: Set<number>, change: () => void = () => undefined): Promise<readonly string[]> {
  const answers: string[] = [];
  const callAll = (commands: readonly (readonly unknown[])[]) => {
    for (const [name, , value] of commands) if (name === "SET") answers.push(String(value));
    return Promise.resolve(commands.map(() => []));
  };
  const waits = new SiteWaits({
    client: { callAll },
    clock: new FakeClock(),
    signal: new AbortController().signal,
    site: { received: vectorOf([[1, 5]]), participants: { keptBy: () => [2, 3] } },
    id: 1,
    slice: ALL_KEYS,
    isComplete: () => true,
    differs: (site: number) => differing.has(site),
    capture: { passed: 7, reached: { written: 7 } },
  } as unknown as SiteWaitsOptions); // these are all that it uses
  assert.ok(waits.take(String(askingSites({ id: "a", sites: 2 }).at(-1))));
  await turn();
  change();
  waits.look();
  await turn();
  return answers;
}

test("each other site that keeps what was written counts", async () => {
  assert.deepEqual(await answersTo(new Set()), ["2"]);
});

test("a site with a key that is known to differ does not count, until the key is the same", async () => {
  assert.deepEqual(await answersTo(new Set([3])), ["1"]);
  const differing = new Set([2, 3]);
  assert.deepEqual(await answersTo(differing, () => differing.clear()), ["0", "2"]);
});
