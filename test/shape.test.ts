import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesBelow } from "./kit/architecture/import-graph.ts";
import { shapeOver } from "./kit/architecture/shape.ts";
import { SHAPE_EXCEPTIONS } from "./shape-exceptions.ts";

const ROOT = join(import.meta.dirname, "..");
const LIMITS = { imports: 25, members: 12, paths: 10 };

test("a file has at most 25 imports, a class 12 public members, a function 10 paths; the list of exceptions only shrinks", () => {
  const found = new Map<string, number>();
  for (const file of filesBelow(ROOT, ["packages", "src"]))
    if (!/\.test\.ts$|\/testing\//.test(file))
      for (const [name, figure] of shapeOver(file, readFileSync(join(ROOT, file), "utf8"), LIMITS))
        found.set(name, Math.max(figure, found.get(name) ?? 0));
  const names = new Set([...found.keys(), ...Object.keys(SHAPE_EXCEPTIONS)]);
  const wrong = [...names].flatMap((name) => sentenceOf(name, found.get(name), SHAPE_EXCEPTIONS[name]));
  assert.deepEqual(wrong, []);
});

function sentenceOf(name: string, now: number | undefined, listed: number | undefined): readonly string[] {
  if (now === listed) return [];
  if (now === undefined) return [`remove "${name}" from the list: it is within the limit`];
  if (listed === undefined) return [`${name}: ${now} are too many`];
  return [
    now < listed ? `lower "${name}" to ${now} in the list` : `${name}: ${now} are more than the ${listed} of the list`,
  ];
}

for (const [what, text, over] of [
  ["imports", 'import a from "a";\n'.repeat(26), { "imports of a.ts": 26 }],
  ["no import too many", 'import a from "a";\n'.repeat(25), {}],
  ["exports from other files", 'export { a } from "a";\n'.repeat(26), { "imports of a.ts": 26 }],
  ["members of a class without a declaration", `const A = class B { ${members(13)} };`, { "members of a.ts B": 13 }],
  ["members", `class A { ${members(13)} constructor() {} #own() {} private mine() {} }`, { "members of a.ts A": 13 }],
  ["no member too many", `class A { ${members(12)} get m1() { return 1; } }`, {}],
  ["paths", `function f() { ${"if (a && b) c();".repeat(5)} }`, { "paths of a.ts f": 11 }],
  ["paths of a method", `class A { #f() { ${"for (;;) a ? b : c;".repeat(5)} } }`, { "paths of a.ts A.#f": 11 }],
  ["paths of assignments", `function f() { ${"a ||= b; a &&= c;".repeat(5)} }`, { "paths of a.ts f": 11 }],
  ["no path too many", `function f() { ${"if (a) c();".repeat(9)} return () => a || b; }`, {}],
  ["one path by a table", `function f() { switch (a) { ${"case 1: return a?.b ?? c;".repeat(20)} } }`, {}],
] as const)
  test(`the measure of shape sees ${what}`, () => {
    assert.deepEqual(Object.fromEntries(shapeOver("src/a.ts", text, LIMITS)), over);
  });

function members(count: number): string {
  return Array.from({ length: count }, (_, index) => `m${index}() {}`).join(" ");
}
