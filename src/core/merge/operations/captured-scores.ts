import { add, effects, pairs, putEffect, readKeys, type Captured } from "./captured.ts";
import { commandParts } from "./command-parts.ts";
import type { Effect } from "./operation.ts";
import type { ScoreChange } from "./score-rules.ts";

/**
 * A command with one member is in the stream only when its condition was met. A command with several does not say which of them it wrote: their
 * scores say it.
 */
export function zadd(args: readonly string[], changes?: readonly ScoreChange[]): Captured {
  const [key = ""] = args;
  const parts = commandParts("ZADD", args);
  const scored = parts?.get("score");
  if (parts === undefined || scored === undefined) return readKeys(key);
  const named = pairs(args.slice(scored));
  const [[by, member] = ["", ""]] = named;
  if (parts.has("INCR") && !parts.has("NX")) return scoreIncremented({ key, member, by }, changes);
  if (named.length === 1 || !CONDITIONS.some((option) => parts.has(option)))
    return effects(named.map(([score, element]) => putEffect("zset", key, element, score)));
  if (changes !== undefined) return effects(changes.map((change) => scoreChanged(key, change)));
  return scoresOf(
    key,
    named.map(([, element]) => element),
  );
}

const CONDITIONS = ["NX", "XX", "GT", "LT"];

interface ScoreIncrement {
  readonly key: string;
  readonly member: string;
  readonly by: string;
}

/** A sum of fractions is a value: the one that comes later wins. */
export function scoreIncremented({ key, member, by }: ScoreIncrement, changes?: readonly ScoreChange[]): Captured {
  if (INTEGER.test(by)) return effects([add("zset", key, member, BigInt(by))]);
  return changes === undefined ? scoresOf(key, [member]) : effects(changes.map((change) => scoreChanged(key, change)));
}

/** Members were popped or removed by a range. */
export function membersGone([key = ""]: readonly string[], changes?: readonly ScoreChange[]): Captured {
  return changes === undefined ? readKeys(key) : effects(changes.map((change) => scoreChanged(key, change)));
}

function scoreChanged(key: string, { member, score }: ScoreChange): Effect {
  if (score === undefined) return { kind: "remove", type: "zset", key, element: member };
  const text = Number.isFinite(score) ? String(score) : score < 0 ? "-inf" : "inf";
  return putEffect("zset", key, member, text);
}

function scoresOf(key: string, members: readonly string[]): Captured {
  return { effects: [], read: [], scores: [{ key, members }] };
}

const INTEGER = /^-?\d{1,15}$/;
