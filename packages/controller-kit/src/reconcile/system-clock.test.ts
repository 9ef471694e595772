import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "./system-clock.ts";

for (const ms of [2 ** 31, 1e13, Infinity])
  test(`a sleep of ${ms} ms does not end at once`, async () => {
    const woken = new AbortController();
    const long = systemClock.sleep(ms, woken.signal).then(
      () => "over",
      () => "woken",
    );
    const short = systemClock.sleep(20).then(() => "asleep");
    assert.equal(await Promise.race([long, short]), "asleep");
    woken.abort();
    assert.equal(await long, "woken");
  });
