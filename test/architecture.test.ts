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
}

const files = globSync("src/**/*.ts", { cwd: ROOT });
const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(join(ROOT, file), "utf8");
  const targets = [...text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map((found) => found[1] ?? "");
  return targets.map((target) => ({ file, room: roomOf(file), target }));
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

function roomOf(file: string): string {
  return file.split("/")[1] ?? "";
}

function isTest(file: string): boolean {
  return file.endsWith(".test.ts");
}

function said({ file, target }: Import): string {
  return `${file} imports ${target}`;
}
