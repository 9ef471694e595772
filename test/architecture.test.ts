import assert from "node:assert/strict";
import { readFileSync, globSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..");
const PURE = ["base", "api", "releases", "planner"];
const PORTS = ["kube", "management", "modules", "resp", "pki"];
const ENGINES = ["observe", "reconcile", "supervisor"];
const PROGRAMS = ["cli", "demo", "operator", "webhook", "agent", "proxy", "rigger"];
const DOMAIN_FREE = ["apiserver", "controllers", "kubelet"];

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  api: ["base"],
  releases: ["api", "base"],
  planner: ["releases", "api", "base"],
  kube: ["base"],
  management: ["api", "base"],
  resp: ["base"],
  pki: ["base"],
  modules: ["api", "base"],
  reconcile: ["kube", "base"],
  supervisor: ["resp", "releases", "api", "base"],
  observe: [...PURE, ...PORTS],
  ...Object.fromEntries(PROGRAMS.map((room) => [room, [...PURE, ...PORTS, ...ENGINES]])),
  ...Object.fromEntries(DOMAIN_FREE.map((room) => [room, ["base", "kube", "pki", "reconcile", "supervisor"]])),
};

interface Import {
  readonly file: string;
  readonly room: string;
  readonly target: string;
  /** Gone when the program runs. */
  readonly typeOnly: boolean;
}

const files = globSync("src/**/*.ts", { cwd: ROOT });
const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(join(ROOT, file), "utf8");
  const found = text.matchAll(/(?:(import|export) (type )?[^;"]*?from|import\()\s*"([^"]+)"/g);
  return [...found].map(([, , type, target = ""]) => ({
    file,
    room: roomOf(file),
    target,
    typeOnly: type !== undefined,
  }));
});

test("imports point down, never sideways between programs", () => {
  const wrong = imports.filter(({ file, room, target }) => {
    if (room === "bin" || isTest(file) || !target.startsWith(".")) return false;
    const other = roomOf(relative(ROOT, join(ROOT, dirname(file), target)));
    return other !== room && !(MAY_IMPORT[room] ?? []).includes(other);
  });
  assert.deepEqual(wrong.map(said), []);
});

test("pure rooms import nothing of node, and read neither clock nor randomness", () => {
  const wrong = imports.filter(
    ({ file, room, target }) => PURE.includes(room) && !isTest(file) && target.startsWith("node:"),
  );
  const impure = files
    .filter((file) => PURE.includes(roomOf(file)) && !isTest(file))
    .filter((file) =>
      /Date\.now|new Date\(\)|Math\.random|performance\.now|setTimeout/.test(readFileSync(join(ROOT, file), "utf8")),
    );
  assert.deepEqual([...wrong.map(said), ...impure], []);
});

test("every room is known, and nothing imports a test or the test kit but tests", () => {
  const unknown = files.map(roomOf).filter((room) => room !== "bin" && !(room in MAY_IMPORT));
  const wrong = imports.filter(({ file, target }) => !isTest(file) && (isTest(target) || target.includes("/test/")));
  assert.deepEqual([...unknown, ...wrong.map(said)], []);
});

test("no file of a room needs itself, by way of others, while it is loaded", () => {
  const needs = new Map<string, string[]>();
  for (const { file, target, typeOnly } of imports) {
    if (typeOnly || !target.startsWith(".")) continue;
    needs.set(file, [...(needs.get(file) ?? []), join(dirname(file), target)]);
  }
  const reach = (from: string, seen: Set<string>): Set<string> => {
    for (const next of needs.get(from) ?? []) if (!seen.has(next)) reach(next, seen.add(next));
    return seen;
  };
  assert.deepEqual(
    files.filter((file) => reach(file, new Set()).has(file)),
    [],
  );
});

test("a function or constant is exported only when another file uses it", () => {
  const everywhere = globSync("{src,test,scripts,bench}/**/*.ts", { cwd: ROOT });
  const users = new Map<string, number>();
  const texts = everywhere.map((file) => readFileSync(join(ROOT, file), "utf8"));
  for (const text of texts)
    for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g))) users.set(word, (users.get(word) ?? 0) + 1);
  const idle = texts.flatMap((text, index) =>
    [...text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)]
      .filter(([, name = ""]) => users.get(name) === 1)
      .map(([, name]) => `${everywhere[index]} exports ${name}`),
  );
  assert.deepEqual(idle, []);
});

function roomOf(file: string): string {
  return file.split("/")[1] ?? "";
}

function isTest(file: string): boolean {
  return file.endsWith(".test.ts");
}

function said({ file, target }: Import): string {
  return `${file} imports ${target}`;
}
