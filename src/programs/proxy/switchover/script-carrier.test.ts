import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "#kit/base/log";
import { FakeClock } from "#kit/testing/fake-clock";
import { ScriptCarrier } from "./script-carrier.ts";

test("a move does not wait for scripts that take long, and they are loaded on", async () => {
  const { clock, carrier, target } = carrierTo();
  let prepared = false;
  const preparing = carrier.prepare(target).then(() => void (prepared = true));
  await clock.advance(500);
  assert.equal(prepared, false);
  await clock.advance(500);
  await preparing;
  assert.equal(target.loads.length, 1);
});

test("an engine that cannot be asked about scripts is asked again as long as it is the primary", async () => {
  const { clock, carrier, target, move } = carrierTo();
  const preparing = carrier.prepare(target);
  await clock.advance(0);
  target.loads[0]?.reject(new Error("BUSY"));
  await clock.advance(0);
  await preparing;
  await clock.advance(5_000);
  assert.equal(target.loads.length, 1); // it is not the primary
  move();
  const completing = carrier.complete(target);
  target.loads[1]?.reject(new Error("BUSY"));
  await completing;
  await clock.advance(1_000);
  assert.equal(target.loads.length, 3);
  target.loads[2]?.resolve();
  await clock.advance(10_000);
  assert.equal(target.loads.length, 3);
});

/** A carrier to an engine that loads when the test says so. */
function carrierTo() {
  const clock = new FakeClock();
  const [former, target] = [new SlowEngine(), new SlowEngine()];
  let primary = former;
  const carrier = new ScriptCarrier(
    { clock, log: silentLog, gatherScripts: async () => true, hasOtherShards: false },
    () => primary,
  );
  return { clock, carrier, target, move: () => void (primary = target) };
}

class SlowEngine {
  readonly loads: PromiseWithResolvers<void>[] = [];
  readonly scripts = {
    refused: 0,
    load: (): Promise<void> => {
      const load = Promise.withResolvers<void>();
      this.loads.push(load);
      return load.promise;
    },
    has: (): boolean => false,
    forgetFlushed: (): Promise<void> => Promise.resolve(),
    lacking: async (): Promise<readonly string[]> => [],
  };
}
