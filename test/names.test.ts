import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { filesBelow } from "./kit/architecture/import-graph.ts";
import { doubled, participles, topLevelNamesIn, topLevelNamesOf } from "./kit/architecture/top-level-names.ts";

const ROOT = join(import.meta.dirname, "..");

/** Verbs that end as participles do. */
const VERBS: ReadonlySet<string> = new Set(["bring", "embed", "exceed", "feed", "need", "proceed", "seed", "speed"]);

/** Names that every room or every program has for the same thing. */
const EVERYWHERE: ReadonlySet<string> = new Set([
  "faults", // the table of the errors of a room
  "main", // what an entry file of a program starts
]);

const names = filesBelow(ROOT, ["packages", "src"])
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .flatMap((file) => topLevelNamesIn(ROOT, file));

test("a function is named by a verb or a claim, and never by one participle", () => {
  assert.deepEqual(participles(names, VERBS), []);
});

test("an exported name is defined in one file", () => {
  assert.deepEqual(doubled(names, EVERYWHERE), []);
});

test("a participle is found in each form that a function can have", () => {
  const text = `
    function held(): void {}
    export const waiting = (): void => {};
    const joined = function (): void {};
    export async function* written(): AsyncGenerator<string> {}
    const closed = true;
    function isHeld(): boolean { return closed; }
    function feed(): void {}
    function writtenBy(): void {}
  `;
  const found = participles(topLevelNamesOf("a.ts", text), VERBS);
  assert.deepEqual(found, ["a.ts held", "a.ts waiting", "a.ts joined", "a.ts written"]);
});

test("a name that two files export is found, whatever it stands for", () => {
  const one = topLevelNamesOf("a.ts", "export interface Place {}\nfunction own(): void {}\nexport const main = 1;");
  const other = topLevelNamesOf(
    "b.ts",
    "export class Place {}\nexport function own(): void {}\nexport const main = 2;",
  );
  assert.deepEqual(doubled([...one, ...other], EVERYWHERE), ["Place: a.ts, b.ts"]);
  const listed = topLevelNamesOf("c.ts", "enum Place {}\nexport { Place };");
  assert.deepEqual(doubled([...one, ...listed], EVERYWHERE), ["Place: a.ts, c.ts"]);
});
