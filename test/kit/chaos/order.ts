import { check } from "../linearizability/check.ts";
import { EMPTY, UNKNOWN } from "../linearizability/model.ts";
import { byKey, type Operation } from "../linearizability/history.ts";
import { hasKey, type Change } from "./changes.ts";
import type { Period } from "./stories/story.ts";

/** What does not fit into one order of all operations; empty when everything does. */
export function brokenOrders(operations: readonly Operation[]): readonly string[] {
  return [...byKey(operations)].flatMap(([key, history]) => {
    const verdict = check(history);
    return verdict.kind === "linearizable" ? [] : [`${key}: ${JSON.stringify(verdict.around)}`];
  });
}

/**
 * The same between the changes of the primary that has the key, each time from any state that a crash may have left: two primaries
 * that acknowledge side by side are found, a write that asynchronous replication may lose is not.
 */
export function brokenBetween(operations: readonly Operation[], changes: readonly Change[]): readonly string[] {
  const registers = operations.filter(({ act }) => act.kind !== "append" && act.kind !== "read-list");
  return [...byKey(registers)].flatMap(([key, history]) =>
    periods(merged(changes.filter(({ slots }) => hasKey(slots, key)))).flatMap(({ from, to }) => {
      const inside = within(history, from, to);
      if (inside.length === 0) return [];
      const verdict = check(inside, from === Number.NEGATIVE_INFINITY ? EMPTY : UNKNOWN);
      return verdict.kind === "linearizable"
        ? []
        : [`${key}, from ${from} to ${to}: ${JSON.stringify(verdict.around)}`];
    }),
  );
}

/** Changes that touch are one. */
function merged(changes: readonly Period[]): readonly Period[] {
  const sorted = changes.toSorted((a, b) => a.from - b.from);
  return sorted.reduce<readonly Period[]>((all, next) => {
    const last = all.at(-1);
    if (last === undefined || next.from > last.to) return [...all, next];
    return [...all.slice(0, -1), { from: last.from, to: Math.max(last.to, next.to) }];
  }, []);
}

/** What lies between the changes. */
function periods(changes: readonly Period[]): readonly Period[] {
  const ends = [Number.NEGATIVE_INFINITY, ...changes.map(({ to }) => to)];
  return ends.map((from, at) => ({ from, to: changes[at]?.from ?? Number.POSITIVE_INFINITY }));
}

/** Known operations of the period, and writes that may take effect in it: those that it does not hold whole. */
function within(history: readonly Operation[], from: number, to: number): readonly Operation[] {
  return history.flatMap((operation): Operation[] => {
    const { begin, end, act } = operation;
    if (begin >= from && end !== undefined && end <= to) return [operation];
    const mayTakeEffect = begin < to && (end === undefined || end > from);
    if (!mayTakeEffect || act.kind === "get") return [];
    const asUnknown = act.kind === "compare-and-set" ? ({ kind: "exchange", to: act.to } as const) : act;
    return [{ ...operation, act: asUnknown, end: undefined }];
  });
}
