import type { Instant } from "../../core/base/instant.ts";

/** What `performance.now` lacks to the steady clock that all processes of the machine share. */
const ORIGIN_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** The machine's steady clock, in milliseconds. Cheap enough for each batch of replies. */
export function steadyMs(): number {
  return ORIGIN_MS + performance.now();
}

/** This moment. */
export function instantNow(): Instant {
  return { steadyMs: steadyMs(), wallMs: Date.now() };
}
