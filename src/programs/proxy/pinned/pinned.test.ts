import assert from "node:assert/strict";
import { test } from "node:test";
import { HOLD_MS, PlayedSession } from "../../../../test/kit/engines/played-session.ts";
import { until } from "#kit/testing/until";
import { PIN_TRANSITIONS, type PinEvent, type PinState } from "./pin-states.ts";

/** What brings a session to a state. A script met only by one that needs its connection for nothing else. */
const WAYS: Readonly<Record<PinState, (played: PlayedSession) => Promise<void> | void>> = {
  attached: () => undefined,
  asking: (played) => played.ask(),
  waiting: (played) => played.meetScript(),
  leaving: (played) => played.changePrimary(),
  "asking-last": async (played) => {
    await played.ask();
    played.changePrimary();
  },
  searching: (played) => played.depart(),
  ended: (played) => played.end(),
};

const EVENTS: Readonly<Record<PinEvent, (played: PlayedSession) => Promise<void> | void>> = {
  ask: (played) => played.ask(),
  decide: (played) => played.decide(),
  "meet-script": (played) => played.meetScript(),
  repeat: (played) => played.clock.advance(100),
  "change-primary": (played) => played.changePrimary(),
  depart: (played) => played.depart(),
  "lose-engine": (played) => played.loseEngine(),
  arrive: (played) => played.arrive(),
  end: (played) => played.end(),
};

for (const [from, row] of Object.entries(PIN_TRANSITIONS))
  for (const [event, to] of Object.entries(row))
    test(`a pinned session that is ${from}: ${event} leads to ${to}`, async () => {
      await using played = await PlayedSession.start({ isWatching: from !== "waiting" && to !== "waiting" });
      await WAYS[from as PinState](played);
      assert.equal(played.pinned.work.at, from);
      await EVENTS[event as PinEvent](played);
      await until(`it is ${to}`, () => played.pinned.work.at === to);
    });

test("what is known of a reply when its client is gone keeps no memory", async () => {
  await using played = await PlayedSession.start({ isWatching: false });
  await played.ask("x".repeat(20_000));
  assert.ok(played.memory.heldBytes > 20_000);
  played.end();
  await played.decide("slave");
  assert.equal(played.memory.heldBytes, 0);
});

test("a former primary has until its deadline to answer, however often the endpoint changes meanwhile", async () => {
  await using played = await PlayedSession.start({ isWatching: true });
  played.changePrimary();
  for (let passed = 0; passed < HOLD_MS; passed += HOLD_MS / 4) {
    assert.equal(played.pinned.work.at, "leaving");
    await played.clock.advance(HOLD_MS / 4);
    played.pinned.upstreamChanged();
  }
  assert.notEqual(played.pinned.work.at, "leaving");
  assert.deepEqual(played.cuts, ["the engine is gone with a request of unknown outcome"]);
});

test("a session that ends with a reply of the engine that it has just lost leaves the next one of its client alone", async () => {
  await using played = await PlayedSession.start({ isWatching: false });
  await played.ask();
  played.loseEngine();
  await until("the session has ended", () => played.pinned.work.at === "ended");
  assert.equal(played.unpinned, 1);
  assert.deepEqual(played.cuts, []);
});
