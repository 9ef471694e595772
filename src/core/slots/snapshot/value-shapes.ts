/**
 * A part of a value in a snapshot: a string, a length, a score as text, so many bytes, parts that come as often as the length before them says, or what
 * a module has written, each piece with its kind before it.
 */
export type ShapePart =
  "string" | "length" | "score" | "pieces" | { readonly bytes: number } | { readonly each: Shape };

export type Shape = readonly ShapePart[];

const WHOLE: Shape = ["string"];
const MEMBERS: Shape = [{ each: ["string"] }];
const PAIRS: Shape = [{ each: ["string", "string"] }];
/** A stream up to its groups: nodes of entries, their number, and the last id. */
const ENTRIES: Shape = [{ each: ["string", "string"] }, "length", "length", "length"];
/** What came later: the first id, the highest one that was deleted, and how many were ever added. */
const COUNTED: Shape = ["length", "length", "length", "length", "length"];
const PENDING: ShapePart = { each: [{ bytes: 16 }, { bytes: 8 }, "length"] };
const OWNED: ShapePart = { each: [{ bytes: 16 }] };
const CONSUMERS: ShapePart = { each: ["string", { bytes: 8 }, OWNED] };
/** With the time when they were last active. */
const ACTIVE_CONSUMERS: ShapePart = { each: ["string", { bytes: 8 }, { bytes: 8 }, OWNED] };

/** What each type of value consists of, by the number that engines give it: redis up to 8.0 and valkey up to 8.1. */
export const VALUE_SHAPES: ReadonlyMap<number, Shape> = new Map<number, Shape>([
  [0, WHOLE], // a string
  [1, MEMBERS], // a list
  [2, MEMBERS], // a set
  [3, [{ each: ["string", "score"] }]], // a sorted set
  [4, PAIRS], // a hash
  [5, [{ each: ["string", { bytes: 8 }] }]], // a sorted set
  [7, ["length", "pieces"]], // what a module has written
  [9, WHOLE], // hash, list, set of integers, sorted set and hash, packed
  [10, WHOLE],
  [11, WHOLE],
  [12, WHOLE],
  [13, WHOLE],
  [14, MEMBERS], // a list of packed parts
  [15, [...ENTRIES, { each: ["string", "length", "length", PENDING, CONSUMERS] }]], // a stream
  [16, WHOLE], // hash and sorted set, packed
  [17, WHOLE],
  [18, [{ each: ["length", "string"] }]], // a list of parts, packed or plain
  [19, [...ENTRIES, ...COUNTED, { each: ["string", "length", "length", "length", PENDING, CONSUMERS] }]],
  [20, WHOLE], // a set, packed
  [21, [...ENTRIES, ...COUNTED, { each: ["string", "length", "length", "length", PENDING, ACTIVE_CONSUMERS] }]],
  [24, [{ bytes: 8 }, { each: ["length", "string", "string"] }]], // a hash whose fields expire
  [25, [{ bytes: 8 }, "string"]], // the same, packed
]);
