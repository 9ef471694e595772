import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { impureGlobals } from "./kit/architecture/impure-globals.ts";
import { filesBelow, importsBelow } from "./kit/architecture/import-graph.ts";

const ROOT = join(import.meta.dirname, "..");
/** What decides, and what everything rests on: the same answer for the same facts, at any moment and on any machine. */
const PURE = ["src/core", "packages/controller-kit/src/base"];

test("pure rooms import nothing of node, use no global of node, and read neither clock nor randomness", () => {
  const files = filesBelow(ROOT, PURE).filter((file) => !file.endsWith(".test.ts"));
  const imports = importsBelow(ROOT, PURE)
    .filter(({ file, target }) => files.includes(file) && target.startsWith("node:"))
    .map(({ file, target }) => `${file} imports ${target}`);
  const uses = files.flatMap((file) =>
    impureGlobals(readFileSync(join(ROOT, file), "utf8")).map((use) => `${file}:${use}`),
  );
  assert.deepEqual([...imports, ...uses], []);
});

for (const [text, uses] of [
  ["const bytes = Buffer.alloc(1);", ["1: Buffer"]],
  ["export const read = () => process.env;", ["1: process"]],
  ["return setTimeout(run, 1);", ["1: setTimeout"]],
  [
    "const at = Date.now();\nconst day = new Date();\nconst text = Date();",
    ["1: Date.now", "2: new Date()", "3: Date()"],
  ],
  ["const at = performance.now() + Math.random();", ["1: performance", "1: Math.random"]],
  ["console.log(await fetch(url), { crypto });", ["1: console", "1: fetch", "1: crypto"]],
  ["globalThis.x = queueMicrotask;", ["1: globalThis", "1: queueMicrotask"]],
  ["const first = new Date(0); let part: Buffer; engine.process(first, { fetch: 1 });", []],
  ["/** Buffer */ const process = 'Buffer'; use(process, new URL(x), new TextEncoder());", []],
] as const)
  test(`the rule of pure rooms sees ${uses.join(", ") || "nothing"} in: ${text.replaceAll("\n", " ")}`, () => {
    assert.deepEqual(impureGlobals(text), uses);
  });
