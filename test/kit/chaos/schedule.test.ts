import assert from "node:assert/strict";
import { test } from "node:test";
import { EVICTION_POLICIES } from "./stories/memory.ts";
import { MOST_FAULTS, scheduleOf, textOf } from "./schedule.ts";

const ALL = Array.from({ length: 400 }, (_, at) => scheduleOf(at + 1, MOST_FAULTS));

test("a seed has the same schedule each time, and another one another", () => {
  assert.deepEqual(scheduleOf(7, 6), scheduleOf(7, 6));
  assert.notDeepEqual(scheduleOf(7, 6), scheduleOf(8, 6));
});

test("everything ends before the schedule does, and no seed is without a move", () => {
  for (const { faults, moves, lengthMs } of ALL) {
    assert.ok(
      [...faults, ...moves].every(({ fromMs, forMs }) => fromMs >= 0 && forMs > 0 && fromMs + forMs <= lengthMs),
    );
    assert.ok(moves.length > 0);
  }
});

test("each kind of fault, part and place comes up, and faults overlap", () => {
  const faults = ALL.flatMap((schedule) => schedule.faults);
  const texts = new Set(faults.map(({ what }) => ("part" in what ? `${what.kind} ${what.part}` : what.kind)));
  assert.deepEqual([...texts].toSorted(), [
    ...["api", "clock", "cut", "freeze agent", "freeze engine", "freeze node", "freeze proxy", "full"],
    ...["kill engine", "kill node", "kill proxy", "slow"],
  ]);
  const overlap = ALL.filter(
    ({ faults: [one, next] }) => one !== undefined && next !== undefined && next.fromMs < one.fromMs + one.forMs,
  );
  assert.ok(overlap.length > 50, `${overlap.length} seeds overlap`);
});

test("each eviction policy comes up with faults and without", () => {
  for (const isPlanned of [true, false]) {
    const policies = ALL.filter(({ faults }) => (faults.length === 0) === isPlanned).map(({ eviction }) => eviction);
    assert.deepEqual([...new Set(policies)].toSorted(), [...EVICTION_POLICIES].toSorted());
  }
});

test("a seed stays what it was, so that one that failed once can be played again", () => {
  const { faults, moves } = scheduleOf(7, MOST_FAULTS);
  assert.deepEqual([...faults, ...moves].map(textOf), [
    '5677 ms, for 872 ms: api {"nodes":[2],"how":"reject"}',
    '1660 ms, for 1624 ms: evacuate {"at":2}',
    '7480 ms, for 2472 ms: evacuate {"at":2}',
    '10946 ms, for 4912 ms: evacuate {"at":2}',
  ]);
});

test("faults and moves reach each shard of a database", () => {
  const shards = 8;
  const reached = new Set(
    ALL.flatMap(({ faults, moves }) => [...faults, ...moves]).map(({ share }) => Math.floor(share * shards)),
  );
  assert.deepEqual(
    [...reached].toSorted(),
    Array.from({ length: shards }, (_, at) => at),
  );
});
