import assert from "node:assert/strict";
import { availableParallelism, loadavg } from "node:os";

/** Fails when something took longer than `withinMs`. On a machine that has more to do than it can, everything takes as much longer. */
export function assertWithin(withinMs: number, tookMs: number, what: string): void {
  const busy = Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
  const took = `${Math.round(tookMs)} ms at ${busy.toFixed(1)} times the work`;
  assert.ok(tookMs < withinMs * busy, `not within ${withinMs} ms, but ${took}: ${what}`);
}
