/** A password besides the current one that a database accepts. */
export interface FurtherPassword {
  readonly password: string;
  /** ISO instant at which its overlap ends; absent: it was added, and stays until it is removed. */
  readonly until?: string;
}

/** The passwords that a database accepts. Held by Secrets alone: never in a record, a log or an argument. */
export interface PasswordSet {
  /** The current one; empty when clients need none. */
  readonly password: string;
  readonly others: readonly FurtherPassword[];
}

/** What a request asks of the passwords of a database. */
export type PasswordChange =
  /** Another current one; added ones stay. */
  | { readonly kind: "change"; readonly password: string }
  /** The only password after the overlap. */
  | { readonly kind: "replace"; readonly password: string }
  | { readonly kind: "add"; readonly password: string }
  /** Without an overlap. */
  | { readonly kind: "remove"; readonly password: string };

/** Why a change of passwords is refused. */
export type PasswordRefusal = "too many" | "not there" | "the only one";

/** The most passwords that were added or whose overlap runs, together. */
export const MOST_FURTHER_PASSWORDS = 16;

/**
 * The passwords after a change; the set itself when nothing is left to do. What a change displaces is accepted until
 * `overlapEnd`; an overlap that runs already keeps its end.
 */
export function withPasswordChange(
  set: PasswordSet,
  change: PasswordChange,
  overlapEnd: string,
): PasswordSet | PasswordRefusal {
  const { password } = change;
  switch (change.kind) {
    case "change":
      return within(set, current(set, password, overlapEnd));
    case "replace": {
      const next = current(set, password, overlapEnd);
      return within(set, { ...next, others: next.others.map((other) => ({ until: overlapEnd, ...other })) });
    }
    case "add":
      if (password === set.password) return set;
      return within(set, { ...set, others: [...without(set, password), { password }] });
    case "remove":
      return removePassword(set, password);
  }
}

/** The passwords without those whose overlap has ended; the set itself when none has. */
export function withoutEnded(set: PasswordSet, now: string): PasswordSet {
  const others = set.others.filter(({ until }) => until === undefined || until > now);
  return others.length === set.others.length ? set : { ...set, others };
}

/** When the next overlap ends; undefined when none runs. */
export function nextOverlapEnd({ others }: PasswordSet): string | undefined {
  return others.flatMap(({ until }) => (until === undefined ? [] : [until])).toSorted()[0];
}

function current(set: PasswordSet, password: string, overlapEnd: string): PasswordSet {
  if (password === set.password) return set;
  return { password, others: [...without(set, password), { password: set.password, until: overlapEnd }] };
}

function removePassword(set: PasswordSet, password: string): PasswordSet | PasswordRefusal {
  const others = without(set, password);
  if (password !== set.password) return others.length === set.others.length ? "not there" : { ...set, others };
  const successor = others.findLast(({ until }) => until === undefined);
  if (successor === undefined) return "the only one";
  return { password: successor.password, others: others.filter((other) => other !== successor) };
}

/** The same set when it has not changed. */
function within(before: PasswordSet, after: PasswordSet): PasswordSet | PasswordRefusal {
  if (after.others.length > MOST_FURTHER_PASSWORDS) return "too many";
  return JSON.stringify(after) === JSON.stringify(before) ? before : after;
}

function without({ others }: PasswordSet, password: string): readonly FurtherPassword[] {
  return others.filter((other) => other.password !== password);
}
