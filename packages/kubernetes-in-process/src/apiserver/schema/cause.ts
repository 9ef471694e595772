/** One thing wrong with an object, in the shape of a Status cause. */
export interface FieldCause {
  readonly reason:
    | "FieldValueRequired"
    | "FieldValueInvalid"
    | "FieldValueTypeInvalid"
    | "FieldValueNotSupported"
    | "FieldValueDuplicate"
    | "FieldValueForbidden"
    | "FieldValueTooLong"
    | "FieldValueTooMany";
  /** Without the field: `Required value`. */
  readonly message: string;
  /** Dotted, list items by index: `spec.containers[0].name`. */
  readonly field: string;
}

/** The field `key` below `path`. */
export function childField(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

/** The value `value` as the messages quote it. */
export function quote(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}
