import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "#kit/reconcile/system-clock";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { watchEngines } from "./engine-watch.ts";

const MAKE_UP_ERROR = "return redis.error_reply(ARGV[1])";

for (const engine of engineNames())
  test(`what measuring asks does not grow with the errors that clients cause (${engine})`, async () => {
    await using primary = await startEngine({ engine });
    const engines = watchEngines({ clock: systemClock });
    await using _closed = { [Symbol.asyncDispose]: async () => void engines.close() };
    for (let i = 0; i < 100; i++) await assert.rejects(primary.call("EVAL", MAKE_UP_ERROR, "0", `ORDER-${i} is late`));
    const info = await engines.measure(primary);
    assert.ok(Number(info?.get("used_memory")) > 0);
    assert.ok(Number(info?.get("total_error_replies")) >= 100, "it has counted them");
    assert.deepEqual(
      [...(info?.entries() ?? [])].filter(([name]) => name.startsWith("errorstat_")),
      [],
    );
  });
