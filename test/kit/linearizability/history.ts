/** What one client asked of one key, and what it got. Times in nanoseconds by the steady clock that processes of a machine share. */
export interface Operation {
  readonly client: string;
  readonly key: string;
  readonly begin: number;
  /** Undefined when the outcome is not known: it may have taken effect at any later time, or never. */
  readonly end: number | undefined;
  readonly act: Act;
}

export type Act =
  /** The register has this value, or none (null). */
  | { readonly kind: "get"; readonly value: string | null }
  | { readonly kind: "set"; readonly value: string }
  /** The register had the value `from`, and has `to`. */
  | { readonly kind: "compare-and-set"; readonly from: string | null; readonly to: string }
  /** A compare-and-set without a known outcome: what was read is not known either. */
  | { readonly kind: "exchange"; readonly to: string }
  /** The list got this element, and had so many then; the length is not known with the outcome. */
  | { readonly kind: "append"; readonly value: string; readonly length: number | undefined }
  | { readonly kind: "read-list"; readonly values: readonly string[] };

/** The operations of each key: keys do not depend on each other, so that each history is judged alone. */
export function byKey(operations: readonly Operation[]): ReadonlyMap<string, readonly Operation[]> {
  return Map.groupBy(operations, ({ key }) => key);
}

/**
 * A library may send a write again that has had no answer for so many milliseconds, although the first may still be executed: then one
 * execution has the answer, and another may come at any moment, or not at all. No library sends an exchange again.
 */
export function allowResends(operations: readonly Operation[], afterMs: number): readonly Operation[] {
  return operations.flatMap((operation) => {
    const { begin, end, act } = operation;
    const isLong = end !== undefined && end - begin >= afterMs * NS_PER_MS;
    if (!isLong || (act.kind !== "set" && act.kind !== "append")) return [operation];
    const again = act.kind === "append" ? { ...act, length: undefined } : act;
    return [operation, { ...operation, end: undefined, act: again }];
  });
}

const NS_PER_MS = 1e6;
