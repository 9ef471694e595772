import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../../test/kit/time/fake-clock.ts";
import { silentLog, type Log } from "../../../core/base/log.ts";
import { FailedLogins, loginDelayMs } from "./failed-logins.ts";

const rules: readonly (readonly [rule: string, failures: number, want: number])[] = [
  ["without a failure there is no delay", 0, 0],
  ["a mistake costs little", 1, 100],
  ["each further one doubles it", 4, 800],
  ["up to a second", 5, 1_000],
  ["and no more, however many there were", 100_000, 1_000],
];
for (const [rule, failures, want] of rules)
  test(`failed logins: ${rule}`, () => {
    assert.equal(loginDelayMs(failures), want);
  });

test("failed logins: another address does not wait, and after a while the address starts anew", async () => {
  const clock = new FakeClock();
  const failed = new FailedLogins(clock, silentLog);
  for (let i = 0; i < 3; i++) failed.note("one");
  assert.deepEqual([failed.waitMs("one"), failed.waitMs("other")], [400, 0]);
  await clock.advance(150);
  assert.equal(failed.waitMs("one"), 250);
  await clock.advance(30_000);
  failed.note("one");
  assert.equal(failed.waitMs("one"), 100);
});

test("failed logins: the addresses that have not failed for longest are forgotten first", () => {
  const failed = new FailedLogins(new FakeClock(), silentLog);
  for (let i = 0; i < 4_096; i++) failed.note(`${i}`);
  failed.note("0");
  failed.note("further");
  assert.deepEqual([failed.waitMs("0"), failed.waitMs("1"), failed.waitMs("2")], [200, 0, 100]);
});

test("failed logins: the log says of which address, at once, and less often while it goes on", () => {
  const said: unknown[] = [];
  const log: Log = { ...silentLog, warn: (_message, fields) => void said.push(fields?.["failures"]) };
  const failed = new FailedLogins(new FakeClock(), log);
  for (let i = 0; i < 200; i++) failed.note("one");
  assert.deepEqual(said, [1, 2, 4, 8, 16, 32, 64, 128, 192]);
});
