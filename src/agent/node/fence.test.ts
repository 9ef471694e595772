import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../../base/log.ts";
import { systemClock } from "../../reconcile/system-clock.ts";
import { startEngine } from "../../../test/kit/engine.ts";
import { until } from "../../../test/kit/until.ts";
import { fenceWhenCutOff } from "./fence.ts";

for (const { rule, silentMs, seen, writes } of [
  { rule: "a node that renews its lease takes writes", silentMs: 0, seen: false, writes: true },
  { rule: "a node that is cut off takes no writes", silentMs: 4_000, seen: false, writes: false },
  {
    rule: "with the API alone away, nodes that see each other take writes",
    silentMs: 60_000,
    seen: true,
    writes: true,
  },
]) {
  test(rule, async () => {
    await using engine = await startEngine();
    const ending = new AbortController();
    let looks = 0;
    let sinceRenewal = silentMs;
    const fencing = fenceWhenCutOff({
      sinceRenewalMs: () => {
        looks += 1;
        return sinceRenewal;
      },
      isSeenByAll: async () => seen,
      primaries: async () => [{ host: engine.host, port: engine.port }],
      clock: systemClock,
      log: silentLog,
      signal: ending.signal,
    });
    await until("it has been looked at twice", () => looks > 1);
    const written = engine.call("SET", "key", "value").then(() => true);
    const wasTaken = await Promise.race([written, systemClock.sleep(150).then(() => false)]);
    assert.equal(wasTaken, writes);
    assert.equal(await engine.call("PING"), "PONG");
    sinceRenewal = 0;
    await written;
    ending.abort();
    await fencing;
  });
}
