import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { superviseNode } from "../../../test/kit/engines/supervised-node.ts";
import { directivesWith } from "../../../test/kit/facts/settings.ts";
import { until } from "#kit/testing/until";
import type { Clock } from "#kit/base/clock";
import { silentLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { engineChildren } from "./engine-process.ts";
import { discoverEngines } from "./engines.ts";
import { instanceFiles } from "./instance-files.ts";
import { Instance } from "./instance.ts";

/** In turns of the event loop: more than an instance takes to look at its files. */
const TURNS = 12;

test("a primary whose AOF is gone does not start empty by a launch that is allowed while its files are looked at", async () => {
  await using node = await superviseNode();
  const wanted = { ...node.primary({ directives: directivesWith({ persistence: "aofAlways" }) }), fresh: false };
  const files = instanceFiles(node.data, 1, 1);
  let later = 0;
  const clock: Clock = { ...systemClock, uptimeMs: () => systemClock.uptimeMs() + later };
  const instance = new Instance(wanted, files, {
    engines: await discoverEngines(process.env),
    runner: engineChildren(silentLog),
    clock,
    log: silentLog,
    limits: { readyMs: 60_000, silentMs: 10_000, everyMs: 500, calmMs: 2_000, graceMs: 10_000 },
  });
  await using _stopped = { [Symbol.asyncDispose]: () => instance.stop() };
  await instance.reconcile({ ...wanted, fresh: true });
  await until("it serves", () => instance.report().state === "serving");
  await rm(join(files.directory, "appendonlydir"), { recursive: true });
  process.kill(instance.report().pid, "SIGKILL");
  await until("it has crashed", () => instance.report().state === "crashed");
  // the next start need not wait any more
  later = 60_000;
  for (let turns = 0; turns < TURNS; turns++) {
    const launch = 1 + turns;
    const looking = instance.reconcile({ ...wanted, launch });
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    await Promise.all([looking, instance.reconcile({ ...wanted, launch: launch + 1 })]);
    const { state, lost, launch: used } = instance.report();
    assert.deepEqual({ state, lost, used }, { state: "crashed", lost: true, used: launch + 1 }, `after ${turns} turns`);
  }
});
