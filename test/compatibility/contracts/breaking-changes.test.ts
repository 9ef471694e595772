import assert from "node:assert/strict";
import { test } from "node:test";
import { breakingChanges, type Use } from "./breaking-changes.ts";
import type { Field, Limits, Shape } from "./shape.ts";

const text: Shape = { is: "string" };
const number: Shape = { is: "number" };
const values = (...of: readonly string[]): Shape => ({ is: "values", of });
const must = (shape: Shape): Field => ({ shape, optional: false });
const may = (shape: Shape, fallback?: unknown): Field => ({
  shape,
  optional: true,
  ...(fallback === undefined ? {} : { fallback }),
});
const object = (fields: Readonly<Record<string, Field>>, others?: Shape): Shape => ({
  is: "object",
  fields,
  ...(others && { others }),
});
const limited = (limits: Limits): Shape => object({ a: may({ is: "number", limits }) });
const message = (op: string, more: Readonly<Record<string, Field>> = {}): Shape =>
  object({ op: must(values(op)), ...more });
const either = (...of: readonly Shape[]): Shape => ({ is: "one of", of });

interface Row {
  readonly use: Use;
  readonly older: Shape;
  readonly newer: Shape;
  readonly says: readonly string[];
}

const rows: Readonly<Record<string, Row>> = {
  "nothing changed": { use: "stored", older: object({ a: must(text) }), newer: object({ a: must(text) }), says: [] },
  "a new optional field is harmless": { use: "stored", older: object({}), newer: object({ a: may(text) }), says: [] },
  "a new required field of a record": {
    use: "stored",
    older: object({}),
    newer: object({ a: must(text) }),
    says: ["x.a: this checkout requires it, and the other release may leave it out"],
  },
  "a new required field of an answer: older nodes do not give it": {
    use: "answered",
    older: object({}),
    newer: object({ a: must(text) }),
    says: ["x.a: this checkout requires it, and the other release may leave it out"],
  },
  "a field of a body becomes required": {
    use: "sent",
    older: object({ a: may(text) }),
    newer: object({ a: must(text) }),
    says: ["x.a: this checkout requires it, and the other release may leave it out"],
  },
  "a field of a body that becomes optional is harmless": {
    use: "sent",
    older: object({ a: must(text) }),
    newer: object({ a: may(text) }),
    says: [],
  },
  "a field of a record becomes optional: older programs need it": {
    use: "stored",
    older: object({ a: must(text) }),
    newer: object({ a: may(text) }),
    says: ["x.a: the older release requires it, and the other release may leave it out"],
  },
  "an optional field of a record is removed": {
    use: "stored",
    older: object({ a: may(text) }),
    newer: object({}),
    says: ["x.a: this checkout does not know it"],
  },
  "a field of an answer is removed": {
    use: "answered",
    older: object({ a: must(text) }),
    newer: object({}),
    says: ["x.a: the older release requires it, and the other release may leave it out"],
  },
  "another type": {
    use: "sent",
    older: object({ a: may(text) }),
    newer: object({ a: may(number) }),
    says: ["x.a: this checkout reads number, and the other release writes string"],
  },
  "a text becomes a list of values": {
    use: "sent",
    older: text,
    newer: values("a"),
    says: ["x: this checkout reads values, and the other release writes string"],
  },
  "a list of values becomes a text: harmless where only newer programs read": {
    use: "sent",
    older: values("a"),
    newer: text,
    says: [],
  },
  "a value is removed": {
    use: "sent",
    older: values("a", "b"),
    newer: values("a"),
    says: ['x: this checkout does not know the value "b"'],
  },
  "a value is added to a record: older programs refuse it": {
    use: "stored",
    older: values("a"),
    newer: values("a", "b"),
    says: ['x: the older release does not know the value "b"'],
  },
  "a value is added to an answer: harmless": { use: "answered", older: values("a"), newer: values("a", "b"), says: [] },
  "a change inside of a list and a map": {
    use: "sent",
    older: object({ a: may({ is: "list", of: object({}, text) }) }),
    newer: object({ a: may({ is: "list", of: object({}, number) }) }),
    says: ["x.a[].*: this checkout reads number, and the other release writes string"],
  },
  "a lower maximum": {
    use: "sent",
    older: limited({ maximum: 9 }),
    newer: limited({ maximum: 8 }),
    says: ["x.a: this checkout has maximum 8, and the other release 9"],
  },
  "a higher minimum": {
    use: "sent",
    older: limited({ minimum: 1 }),
    newer: limited({ minimum: 2 }),
    says: ["x.a: this checkout has minimum 2, and the other release 1"],
  },
  "a new maximum": {
    use: "sent",
    older: limited({}),
    newer: limited({ maximum: 8 }),
    says: ["x.a: this checkout has maximum 8, and the other release none"],
  },
  "another form": {
    use: "sent",
    older: limited({ pattern: "a" }),
    newer: limited({ pattern: "b" }),
    says: ["x.a: this checkout has pattern b, and the other release a"],
  },
  "a wider range is harmless": {
    use: "sent",
    older: limited({ minimum: 2, maximum: 8 }),
    newer: limited({ minimum: 1 }),
    says: [],
  },
  "what an object means that leaves a field out": {
    use: "sent",
    older: object({ a: may(number, 1) }),
    newer: object({ a: may(number, 2) }),
    says: ["x.a: what leaves it out means 2 to this checkout, and 1 to the other release"],
  },
  "a message that older programs do not know": {
    use: "stored",
    older: either(message("a"), message("b")),
    newer: either(message("a"), message("b"), message("c")),
    says: ['x(c).op: the older release does not know the value "c"'],
  },
  "a message with a new required field": {
    use: "sent",
    older: either(message("a"), message("b")),
    newer: either(message("a"), message("b", { n: must(number) })),
    says: ["x(b).n: this checkout requires it, and the other release may leave it out"],
  },
};

for (const [name, { use, older, newer, says }] of Object.entries(rows))
  test(name, () => {
    assert.deepEqual(breakingChanges(use, older, newer, "x"), says);
  });
