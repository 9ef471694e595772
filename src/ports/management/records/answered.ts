import type { z } from "zod";

/** An answer of this schema; nothing of it can be changed. */
export type Answered<Schema extends z.ZodType> = Unchangeable<z.output<Schema>>;

type Unchangeable<Value> = Value extends readonly (infer Each)[]
  ? readonly Unchangeable<Each>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Unchangeable<Value[Key]> }
    : Value;
