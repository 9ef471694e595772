import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { check } from "./check.ts";
import { allowResends, type Act, type Operation } from "./history.ts";
import { ANY, EMPTY, UNKNOWN, apply, type KeyState } from "./model.ts";

/** Operations as [begin, end or "?", act]; each of another client. */
function history(...rows: readonly (readonly [number, number | "?", Act])[]): readonly Operation[] {
  return rows.map(([begin, end, act], at) => ({
    client: `c${at}`,
    key: "k",
    begin,
    end: end === "?" ? undefined : end,
    act,
  }));
}

const get = (value: string | null): Act => ({ kind: "get", value });
const set = (value: string): Act => ({ kind: "set", value });
const compareAndSet = (from: string | null, to: string): Act => ({ kind: "compare-and-set", from, to });
const append = (value: string, length?: number): Act => ({ kind: "append", value, length });
const readList = (...values: readonly string[]): Act => ({ kind: "read-list", values });

for (const [rule, operations] of [
  ["a value is read after it was written", history([0, 1, set("a")], [2, 3, get("a")])],
  [
    "a read that overlaps a write has the old value or the new one",
    history([0, 9, set("a")], [1, 2, get(null)], [3, 4, get("a")]),
  ],
  ["writes that overlap come in any order", history([0, 9, set("a")], [0, 9, set("b")], [10, 11, get("a")])],
  ["a write with an unknown outcome may have taken effect", history([0, "?", set("a")], [5, 6, get("a")])],
  ["a write with an unknown outcome may never have", history([0, "?", set("a")], [5, 6, get(null)])],
  [
    "a write with an unknown outcome may take effect late",
    history([0, "?", set("a")], [5, 6, get(null)], [7, 8, get("a")]),
  ],
  [
    "a swap follows the value that it read",
    history([0, 1, set("a")], [2, 3, compareAndSet("a", "b")], [4, 5, get("b")]),
  ],
  ["lengths and elements agree", history([0, 1, append("a", 1)], [2, 3, append("b", 2)], [4, 5, readList("a", "b")])],
] as const)
  test(rule, () => {
    assert.deepEqual(check(operations), { kind: "linearizable" });
  });

for (const [rule, operations] of [
  [
    "a read of an older value after a newer one was acknowledged",
    history([0, 1, set("a")], [2, 3, set("b")], [4, 5, get("a")]),
  ],
  ["an acknowledged write that is lost", history([0, 1, set("a")], [2, 3, get(null)])],
  [
    "two reads that see two writes in opposite orders",
    history([0, 9, set("a")], [0, 9, set("b")], [10, 11, get("a")], [12, 13, get("b")]),
  ],
  ["a value that was never written", history([0, 1, set("a")], [2, 3, get("x")])],
  [
    "two swaps of one value",
    history([0, 1, set("a")], [2, 5, compareAndSet("a", "b")], [2, 5, compareAndSet("a", "c")]),
  ],
  ["an element that was appended twice", history([0, 1, append("a", 1)], [2, 3, readList("a", "a")])],
  ["an element that is lost", history([0, 1, append("a", 1)], [2, 3, append("b", 2)], [4, 5, readList("b")])],
  [
    "a write without an outcome that took effect and was undone",
    history([0, "?", set("a")], [5, 6, get("a")], [7, 8, get(null)]),
  ],
] as const)
  test(`found: ${rule}`, () => {
    assert.equal(check(operations).kind, "broken");
  });

test("a register that may hold anything at first holds what is read first", () => {
  const read = history([0, 1, get("a")], [2, 3, get("a")]);
  const changed = history([0, 1, get("a")], [2, 3, get("b")]);
  assert.deepEqual([check(read, UNKNOWN).kind, check(changed, UNKNOWN).kind], ["linearizable", "broken"]);
});

test("what stopped the search is named with what overlaps it", () => {
  const verdict = check(history([0, 1, set("a")], [2, 9, set("b")], [3, 4, get("c")], [20, 21, get("b")]));
  assert.ok(verdict.kind === "broken");
  assert.deepEqual(
    verdict.around.map(({ client }) => client),
    ["c1", "c2"],
  );
});

test("each history that one order explains is linearizable, and none with a changed answer", () => {
  fc.assert(
    fc.property(randomHistory(), ({ operations, changed }) => {
      assert.equal(check(operations).kind, "linearizable");
      if (changed !== undefined) assert.equal(check(changed).kind, "broken");
    }),
    { numRuns: 300 },
  );
});

/** Operations that take effect one after the other, each within a time that overlaps others; and one answer that cannot be. */
function randomHistory() {
  const step = fc.record({
    kind: fc.constantFrom("get", "set", "append", "read-list"),
    early: fc.integer({ min: 0, max: 30 }),
    late: fc.integer({ min: 1, max: 30 }),
    isLost: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
  });
  return fc.array(step, { minLength: 1, maxLength: 40 }).map((steps) => {
    let state = EMPTY;
    const operations = steps.map(({ kind, early, late, isLost }, at): Operation => {
      const act = actOf(kind, at, state);
      state = apply(state, act) ?? state;
      const moment = 100 + at * 10;
      const isWrite = kind === "set" || kind === "append";
      const end = isLost && isWrite ? undefined : moment + late;
      return { client: `c${at}`, key: "k", begin: moment - early, end, act };
    });
    const last = { begin: 10_000, end: 10_001, client: "last", key: "k" };
    const act = { kind: "get", value: "never written" } as const;
    return { operations, changed: [...operations, { ...last, act }] };
  });
}

function actOf(kind: string, at: number, { value, list }: KeyState): Act {
  switch (kind) {
    case "set":
      return set(`v${at}`);
    case "append":
      return append(`e${at}`, list.length + 1);
    case "read-list":
      return readList(...list);
    default:
      return get(value === ANY ? null : value);
  }
}

test("a history with too many orders for the memory ends the search with the figures", () => {
  const open = Array.from({ length: 2_000 }, (_, at) => [0, "?", append(`e${at}`)] as const);
  const operations = history(...open, [1, 2, readList("a", "b")]);
  assert.throws(() => check(operations, EMPTY, 8 * 1024 * 1024), {
    message:
      /^not decided: the 2001 operations of key "k", 2000 of them without a known outcome, have more than \d+ orders, which take more than 8 MiB/,
  });
});

test("a write that took as long as its library waits may have been executed twice, one that took less may not", () => {
  const twice = history([0, 5e6, append("a", 1)], [6e6, 7e6, readList("a", "a")]);
  assert.equal(check(allowResends(twice, 5)).kind, "linearizable");
  assert.equal(check(allowResends(twice, 6)).kind, "broken");
  const between = history([0, 5e6, set("a")], [1e6, 2e6, get("a")], [3e6, 4e6, set("b")], [6e6, 7e6, get("a")]);
  assert.equal(check(allowResends(between, 5)).kind, "linearizable");
  assert.equal(check(allowResends(between, 6)).kind, "broken");
});
