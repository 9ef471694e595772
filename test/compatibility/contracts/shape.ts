/** What values of a type or schema look like, as far as the comparison of releases goes. */
export type Shape =
  | { readonly is: "object"; readonly fields: Readonly<Record<string, Field>>; readonly others?: Shape }
  | { readonly is: "list"; readonly of: Shape; readonly limits?: Limits }
  | { readonly is: "values"; readonly of: readonly Value[] }
  | { readonly is: "one of"; readonly of: readonly Shape[] }
  | { readonly is: "string" | "number" | "boolean"; readonly limits?: Limits }
  | { readonly is: "anything" | "bytes" };

export interface Field {
  readonly shape: Shape;
  readonly optional: boolean;
  /** What an object means that leaves it out. */
  readonly fallback?: unknown;
}

export type Value = string | number | boolean | null;

/** Keywords of a schema that narrow a type: a number is a bound, a text a form. */
export type Limits = Readonly<Record<string, number | string>>;
