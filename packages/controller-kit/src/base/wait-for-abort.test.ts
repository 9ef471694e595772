import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { waitForAbort } from "./wait-for-abort.ts";

test("waits until the signal aborts", async () => {
  const controller = new AbortController();
  let isOver = false;
  const wait = waitForAbort(controller.signal).then(() => {
    isOver = true;
  });
  await Promise.resolve();
  assert.equal(isOver, false);
  controller.abort();
  await wait;
  assert.equal(isOver, true);
});

test("does not wait for a signal that has aborted, and leaves nothing with it", async () => {
  const signal = AbortSignal.abort();
  await waitForAbort(signal);
  assert.deepEqual(getEventListeners(signal, "abort"), []);
});
