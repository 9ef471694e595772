import { uptime } from "node:os";

/** What `performance.now` lacks to the steady clock that all processes of the machine share. */
const ORIGIN_MS = originMs();

/** The machine's steady clock, in milliseconds: it never jumps, and stands still while the machine sleeps. */
export function steadyMs(): number {
  return ORIGIN_MS + performance.now();
}

/** Milliseconds since the machine started, sleep included. Cheap enough for each batch of replies. */
export const uptimeMs = uptimeFrom({ steadyMs, wallMs: Date.now, bootMs: () => uptime() * 1000 });

/** The closest of several readings of both clocks: a process may stand still between two of them. */
function originMs(): number {
  const readings = Array.from({ length: 5 }, () => {
    const before = performance.now();
    const sharedMs = Number(process.hrtime.bigint()) / 1e6;
    const after = performance.now();
    return { apartMs: after - before, originMs: sharedMs - (before + after) / 2 };
  });
  return readings.reduce((best, one) => (one.apartMs < best.apartMs ? one : best)).originMs;
}

export interface ClockSources {
  /** Never jumps; stands still while the machine sleeps. */
  readonly steadyMs: () => number;
  /** Goes on while the machine sleeps; may be set. */
  readonly wallMs: () => number;
  /** Since the machine started, sleep included; too expensive for each reading, and up to 10 ms late. */
  readonly bootMs: () => number;
}

/** A leap of the wall clock against the steady one by more than this is a sleep, or a clock that was set. */
const LEAP_MS = 50;

/** The steady clock plus the time asleep, which is measured only after a leap of the wall clock. */
export function uptimeFrom(sources: ClockSources): () => number {
  const asleep = (): number => Math.max(0, sources.bootMs() - sources.steadyMs());
  let sleptMs = asleep();
  let aheadMs = sources.wallMs() - sources.steadyMs();
  return () => {
    const steady = sources.steadyMs();
    const ahead = sources.wallMs() - steady;
    if (Math.abs(ahead - aheadMs) > LEAP_MS) sleptMs = Math.max(sleptMs, asleep());
    aheadMs = ahead;
    return steady + sleptMs;
  };
}
