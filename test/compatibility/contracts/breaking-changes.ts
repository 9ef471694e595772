import { assertNever } from "#kit/base/assert-never";
import type { Field, Limits, Shape, Value } from "./shape.ts";

/**
 * Who reads what the other release has written:
 * `stored` programs of both releases read and write it, during a roll;
 * `answered` programs of both releases read it; a reader takes a value that it does not know for another one;
 * `sent` this checkout reads what older programs, objects and scripts say.
 */
export type Use = "stored" | "answered" | "sent";

/** Every change from the older shape to the newer one that a reader would stumble over; empty when there is none. */
export function breakingChanges(use: Use, older: Shape, newer: Shape, path: string): readonly string[] {
  const newReads = misreadings(
    { who: "this checkout", reads: newer, isClosed: use !== "answered", takesAll: false },
    older,
    path,
  );
  const oldReads = misreadings(
    { who: "the older release", reads: older, isClosed: false, takesAll: use === "answered" },
    newer,
    path,
  );
  return use === "sent" ? newReads : [...new Set([...newReads, ...oldReads])];
}

interface Reader {
  readonly who: string;
  readonly reads: Shape;
  /** It loses or refuses fields that it does not know. */
  readonly isClosed: boolean;
  /** It copes with values that are not in its list. */
  readonly takesAll: boolean;
}

function misreadings(reader: Reader, written: Shape, path: string): readonly string[] {
  const { reads, who } = reader;
  if (reads.is === "anything") return [];
  if (written.is === "one of" || reads.is === "one of") return ofUnion(reader, written, path);
  switch (written.is) {
    case "object":
      return reads.is === "object" ? ofObject(reader, reads, written, path) : [otherType(who, reads, written, path)];
    case "list":
      if (reads.is !== "list") return [otherType(who, reads, written, path)];
      return [
        ...ofLimits(who, reads.limits, written.limits, path),
        ...misreadings({ ...reader, reads: reads.of }, written.of, `${path}[]`),
      ];
    case "values":
      return reads.is === "values"
        ? ofValues(reader, reads.of, written.of, path)
        : ofPlainValues(who, reads, written, path);
    case "string":
    case "number":
    case "boolean":
      if (reads.is !== written.is) return [otherType(who, reads, written, path)];
      return ofLimits(who, reads.limits, written.limits, path);
    case "anything":
    case "bytes":
      return reads.is === written.is ? [] : [otherType(who, reads, written, path)];
    default:
      return assertNever(written);
  }
}

type ObjectShape = Extract<Shape, { is: "object" }>;

function ofObject(reader: Reader, reads: ObjectShape, written: ObjectShape, path: string): readonly string[] {
  const { who, isClosed } = reader;
  const lacking = Object.entries(reads.fields)
    .filter(([name, { optional }]) => !optional && (written.fields[name]?.optional ?? true))
    .map(([name]) => `${path}.${name}: ${who} requires it, and the other release may leave it out`);
  const known = Object.entries(written.fields).flatMap(([name, field]) => {
    const own = reads.fields[name]?.shape ?? reads.others;
    const here = `${path}.${name}`;
    if (own === undefined) return isClosed ? [`${here}: ${who} does not know it`] : [];
    return [
      ...misreadings({ ...reader, reads: own }, field.shape, here),
      ...ofFallback(who, reads.fields[name], field, here),
    ];
  });
  if (written.others === undefined) return [...lacking, ...known];
  if (reads.others === undefined)
    return [...lacking, ...known, ...(isClosed ? [`${path}.*: ${who} does not know it`] : [])];
  return [...lacking, ...known, ...misreadings({ ...reader, reads: reads.others }, written.others, `${path}.*`)];
}

function ofFallback(who: string, reads: Field | undefined, written: Field, path: string): readonly string[] {
  const [own, other] = [reads?.fallback, written.fallback].map((value) => JSON.stringify(value));
  if (reads === undefined || own === other) return [];
  return [
    `${path}: what leaves it out means ${own ?? "nothing"} to ${who}, and ${other ?? "nothing"} to the other release`,
  ];
}

/** Each kind of value that is written needs one that is read. */
function ofUnion(reader: Reader, written: Shape, path: string): readonly string[] {
  const kinds = (shape: Shape): readonly Shape[] => (shape.is === "one of" ? shape.of : [shape]);
  return kinds(written).flatMap((one) => {
    const named = kinds(reader.reads).filter((reads) => tagOf(reads) === tagOf(one));
    const tried = (named.length > 0 ? named : kinds(reader.reads)).map((reads) =>
      misreadings({ ...reader, reads }, one, `${path}${tagOf(one)}`),
    );
    return tried.toSorted((a, b) => a.length - b.length)[0] ?? [];
  });
}

/** The operation that a message names, for instance `(hold)`. */
function tagOf(shape: Shape): string {
  const op = shape.is === "object" ? shape.fields["op"]?.shape : undefined;
  return op?.is === "values" ? `(${op.of.join("|")})` : "";
}

function ofValues(
  { who, takesAll }: Reader,
  reads: readonly Value[],
  written: readonly Value[],
  path: string,
): readonly string[] {
  const unknown = takesAll ? [] : written.filter((value) => !reads.includes(value));
  return unknown.map((value) => `${path}: ${who} does not know the value ${JSON.stringify(value)}`);
}

function ofPlainValues(
  who: string,
  reads: Shape,
  written: Extract<Shape, { is: "values" }>,
  path: string,
): readonly string[] {
  const isRead = written.of.every((value) => typeof value === reads.is);
  return isRead ? [] : [otherType(who, reads, written, path)];
}

function ofLimits(who: string, reads: Limits = {}, written: Limits = {}, path: string): readonly string[] {
  return Object.entries(reads).flatMap(([keyword, bound]) => {
    const other = written[keyword];
    const isTighter =
      typeof bound === "number" && typeof other === "number"
        ? keyword.startsWith("max")
          ? bound < other
          : bound > other
        : bound !== other;
    return isTighter ? [`${path}: ${who} has ${keyword} ${bound}, and the other release ${other ?? "none"}`] : [];
  });
}

function otherType(who: string, reads: Shape, written: Shape, path: string): string {
  return `${path}: ${who} reads ${reads.is}, and the other release writes ${written.is}`;
}
