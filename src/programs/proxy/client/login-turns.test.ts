import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#kit/testing/fake-clock";
import { silentLog, type Log } from "#kit/base/log";
import { loginDelayMs } from "./login-delay.ts";
import { LoginTurns, type LoginAttempt } from "./login-turns.ts";

const rules: readonly (readonly [rule: string, failures: number, want: number])[] = [
  ["without a failure there is no delay", 0, 0],
  ["a mistake costs little", 1, 100],
  ["each further one doubles it", 4, 800],
  ["up to a second", 5, 1_000],
  ["and no more, however many there were", 100_000, 1_000],
];
for (const [rule, failures, want] of rules)
  test(`logins: ${rule}`, () => {
    assert.equal(loginDelayMs(failures), want);
  });

const PLACES = 16;

/** Turns at one endpoint, and clients of one address by their names. */
function atEndpoint(log: Log = silentLog) {
  const clock = new FakeClock();
  const turns = new LoginTurns(clock, log);
  const gone = new Set<string>();
  const logins = new Map<string, LoginAttempt>();
  const login = (name: string, address = "shared"): LoginAttempt => {
    const known = logins.get(name) ?? { address, connection: { name }, isGone: () => gone.has(name) };
    logins.set(name, known);
    return known;
  };
  const looked: string[] = [];
  /** Gives wrong passwords, or the right one, and notes when it was looked at. */
  const tries = async (name: string, isRight = false): Promise<void> => {
    for (let turn = turns.turn(login(name)); turn !== undefined; turn = turns.turn(login(name))) {
      await turn;
      if (gone.has(name)) return;
    }
    looked.push(name);
    await turns.settle(login(name), isRight);
  };
  return { clock, turns, login, gone, looked, tries };
}

test("logins: as many as there are places are looked at at once, the others when a place is free again", async () => {
  const { clock, looked, tries } = atEndpoint();
  const all = Array.from({ length: 2 * PLACES }, (_, index) => tries(`guesser ${index}`));
  assert.equal(looked.length, PLACES);
  await clock.advance(1_100);
  assert.equal(looked.length, 2 * PLACES);
  await clock.advance(1_100);
  await Promise.all(all);
});

test("logins: a right password keeps no place, and another address does not wait", async () => {
  const { turns, login, tries, looked } = atEndpoint();
  for (let i = 0; i < 10 * PLACES; i++) await tries(`library ${i}`, true);
  assert.equal(looked.length, 10 * PLACES);
  for (let i = 0; i < PLACES; i++) void turns.settle(login(`guesser ${i}`), false);
  assert.ok(turns.turn(login("late")) !== undefined);
  assert.equal(turns.turn(login("elsewhere", "other")), undefined);
});

test("logins: who has not been wrong comes before those who have, and who has gone takes no turn", async () => {
  const { clock, turns, login, looked, tries, gone } = atEndpoint();
  for (let i = 0; i < PLACES; i++) void turns.settle(login(`guesser ${i}`), false);
  await clock.advance(1_100);
  const again = Array.from({ length: PLACES }, (_, index) => tries(`guesser ${index}`));
  const behind = Array.from({ length: PLACES }, (_, index) => tries(`guesser ${index}`));
  const [left, late] = [tries("left", true), tries("late", true)];
  gone.add("left");
  await clock.advance(1_200);
  assert.deepEqual(
    looked.slice(0, PLACES).toSorted(),
    Array.from({ length: PLACES }, (_, i) => `guesser ${i}`).toSorted(),
  );
  assert.equal(looked[PLACES], "late");
  await clock.advance(5_000);
  await Promise.all([...again, ...behind, late]);
  assert.equal(looked.includes("left"), false);
  void left;
});

test("logins: a look that never ends, or a turn that is not taken, gives its place to others after a second", async () => {
  const { clock, turns, login } = atEndpoint();
  for (let i = 0; i < PLACES; i++) turns.ask(login(`asked ${i}`));
  let isAwake = false;
  void turns.turn(login("late"))?.then(() => (isAwake = true));
  await clock.advance(500);
  assert.equal(isAwake, false);
  await clock.advance(600);
  assert.equal(isAwake, true);
  assert.equal(turns.turn(login("late")), undefined);
});

test("logins: the addresses that have not failed for longest are forgotten first, but none for which a client waits", async () => {
  const { clock, turns, login } = atEndpoint();
  for (let i = 0; i < PLACES; i++) void turns.settle(login(`guesser ${i}`), false);
  let isAwake = false;
  void turns.turn(login("late"))?.then(() => (isAwake = true));
  for (let i = 0; i < 5_000; i++) void turns.settle(login(`far ${i}`, `10.0.${i >> 8}.${i & 255}`), false);
  await clock.advance(1_100);
  assert.equal(isAwake, true);
  assert.ok(turns.addresses <= 4_097, `${turns.addresses} are kept`);
});

test("logins: the log says of which address, at once, and less often while it goes on", () => {
  const said: unknown[] = [];
  const log: Log = { ...silentLog, warn: (_message, fields) => void said.push(fields?.["failures"]) };
  const { turns, login } = atEndpoint(log);
  for (let i = 0; i < 200; i++) void turns.settle(login("one"), false);
  assert.deepEqual(said, [1, 2, 4, 8, 16, 32, 64, 128, 192]);
});
