import assert from "node:assert/strict";
import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { idleExports, testOnlyExports } from "./kit/architecture/idle-exports.ts";
import { circles, filesBelow, importsBelow, type Import } from "./kit/architecture/import-graph.ts";
import { sharedRuns } from "./kit/architecture/shared-runs.ts";

const ROOT = join(import.meta.dirname, "..");

/** The rooms of the packages; each package has its sources in `packages/<its name>/src`. */
const KIT = ["base", "timing", "kube", "pki", "files", "processes", "reconcile"].map(
  (name) => `controller-kit/${name}`,
);
const BASE = "controller-kit/base";
const TIMING = "controller-kit/timing";
const KUBERNETES = ["apiserver", "controllers", "kubelet", "world"].map((name) => `kubernetes-in-process/${name}`);

/** Which rooms a room may import. What is not listed may import nothing; `bin` joins everything. */
const CORE = roomsOf("core", "base api releases planner records merge slots backup migration");
const PORTS = roomsOf("ports", "management modules resp object-store");
const MECHANISMS = roomsOf("mechanisms", "observe site starter supervisor migration");
const PROGRAMS = roomsOf("programs", "agent backup cli demo link mover operator proxy rigger starter webhook");
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "controller-kit/base": [],
  "controller-kit/timing": [BASE],
  "controller-kit/kube": [TIMING, BASE],
  "controller-kit/pki": [BASE],
  "controller-kit/files": [BASE],
  "controller-kit/processes": [BASE],
  "controller-kit/reconcile": ["controller-kit/kube", BASE],
  "controller-kit/testing": KIT,
  "kubernetes-in-process/apiserver": KIT,
  "kubernetes-in-process/controllers": KIT,
  "kubernetes-in-process/kubelet": KIT,
  "kubernetes-in-process/world": [...KUBERNETES, ...KIT],
  "kubernetes-in-process/testing": [...KUBERNETES, "controller-kit/testing", ...KIT],
  "core/base": [BASE],
  "core/api": ["core/base", BASE],
  "core/releases": ["core/api", "core/base", BASE],
  "core/planner": ["core/releases", "core/slots", "core/api", "core/base", BASE],
  "core/records": ["core/planner", "core/slots", "core/releases", "core/api", "core/base", BASE],
  "core/merge": ["core/base", BASE],
  "core/slots": ["core/base", BASE],
  "core/backup": ["core/planner", "core/slots", "core/releases", "core/api", "core/base", BASE],
  "core/migration": ["core/slots", "core/base", BASE],
  "ports/management": ["core/backup", "core/api", "core/base", TIMING, BASE],
  "ports/modules": ["core/api", "core/base", TIMING, BASE],
  "ports/resp": ["core/api", "core/base", TIMING, BASE],
  "ports/object-store": ["core/backup", BASE],
  "mechanisms/observe": [...CORE, ...PORTS, ...KIT],
  "mechanisms/site": ["controller-kit/files", "ports/resp", "core/merge", "core/slots", "core/base", BASE],
  "mechanisms/migration": ["mechanisms/site", "ports/resp", "core/migration", "core/slots", "core/base", BASE],
  "mechanisms/supervisor": [
    ...["controller-kit/files", "controller-kit/processes", "ports/resp"],
    ...["core/releases", "core/api", "core/base", BASE],
  ],
  "mechanisms/starter": [
    ...["mechanisms/supervisor", "controller-kit/processes", "core/releases", "core/api", "core/base", BASE],
  ],
  ...Object.fromEntries(PROGRAMS.map((room) => [room, [...CORE, ...PORTS, ...MECHANISMS, ...KIT]])),
};

/**
 * The folders inside a room, lowest first: a folder may import itself and those before it. "." stands for the files
 * that lie in the room itself. The table of errors of a room, `faults.ts`, is below all of them.
 */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  "core/api": ["settings", "metrics", "."],
  "core/releases": ["catalogue", "engines", "permissions", "bundle"],
  "core/merge": ["operations", "state", "summary", "saved", "transfer", "."],
  "core/planner": [
    ...["findings", "license", "node", "modules", "view", "admission", "ownership", "upgrade-path", "prerequisites"],
    ...["cluster", "database", "active-active", "recovery", "operator"],
  ],
  "kubernetes-in-process/apiserver": [
    ...["objects", "schema", "openapi", "patch", "protobuf", "store", "resources", "auth", "context", "http", "table"],
    ...["strategy", "crd", "builtin", "admission", "rest", "lifecycle", "discovery", "."],
  ],
  "kubernetes-in-process/controllers": [
    ...["context", "objects", "pods", "deployment", "garbage", "service", "statefulset", "."],
  ],
  "programs/demo": ["load", "report", "steps", ".", "sites"],
  "kubernetes-in-process/kubelet": ["environment", "volume", "container", "node", "pod", "service", "."],
  "mechanisms/site": ["saved", "operations", "state", "summary", "transfer", "."],
  "mechanisms/observe": ["permissions", "kubernetes", "management", "sites", "environment", "."],
  "programs/operator": [
    ...[
      "secrets",
      "objects",
      "context",
      "cluster",
      "database",
      "backup",
      "restore",
      "remote-cluster",
      "active-active",
      "admission",
    ],
    ...["process", "namespace", "teardown", "."],
  ],
  "programs/cli": [
    ..."console access active-active backup restore migrate bundle databases license local modules nodes role completion".split(
      " ",
    ),
    ..."plan preflight status why upgrade recover support .".split(" "),
  ],
  "programs/agent": [
    ...["runtime", "records", "credentials", "modules", "members", "observation"],
    ...["switchover", "leader", "node", "api", "."],
  ],
  "programs/link": ["transport", "served", "."],
  "programs/mover": ["target", "source", "."],
  "programs/proxy": [
    ...["protocol", "limits", "timing", "upstream", "client"],
    ...["scan", "pinned", "session", "switchover", "endpoint", "."],
  ],
};

/** All sources: of the packages and of the product, with the tests beside them. */
const SOURCES = ["packages", "src"];
const files = filesBelow(ROOT, SOURCES);
const imports = importsBelow(ROOT, SOURCES);
const ofSources = imports.filter(({ file }) => !isTest(file));

test("imports point down, never sideways between programs", () => {
  const wrong = ofSources.filter(({ file, target }) => {
    const [room, other] = [roomOf(file), roomOf(target)];
    return room !== "bin" && isSource(target) && other !== room && !(MAY_IMPORT[room] ?? []).includes(other);
  });
  assert.deepEqual(wrong.map(said), []);
});

test("inside a room, folders import those below them", () => {
  const wrong = ofSources.filter(({ file, target }) => {
    const order = ORDER[roomOf(file)];
    if (order === undefined || roomOf(target) !== roomOf(file) || basename(target) === "faults.ts") return false;
    return order.indexOf(folderOf(target)) > order.indexOf(folderOf(file));
  });
  const unknown = files
    .filter((file) => !isTest(file) && folderOf(file) !== ".")
    .map((file) => ({ room: roomOf(file), folder: folderOf(file) }))
    .filter(({ room, folder }) => ORDER[room] !== undefined && !ORDER[room].includes(folder));
  assert.deepEqual([...wrong.map(said), ...unknown], []);
});

test("the product uses the local Kubernetes by its entry file alone", () => {
  const wrong = ofSources.filter(
    ({ file, target }) =>
      target.startsWith("packages/kubernetes-in-process/") &&
      !file.startsWith("packages/") &&
      target !== "packages/kubernetes-in-process/src/world/index.ts",
  );
  assert.deepEqual(wrong.map(said), []);
});

test("findings are made in one place, which knows every id", () => {
  const wrong = files.filter(
    (file) =>
      !isTest(file) &&
      file !== "src/core/planner/findings/finding.ts" &&
      /severity: ?"/.test(readFileSync(join(ROOT, file), "utf8")),
  );
  assert.deepEqual(wrong, []);
});

test("whether a build of a module fits is asked of one function", () => {
  const match =
    /compatible\w* ===? (?!\w+\.compatible)|platforms?\b.*\.(?:startsWith|includes)\(|[nN]ame\.toLowerCase\(\) === \w+\.name/;
  const wrong = files.filter(
    (file) =>
      !isTest(file) &&
      file !== "src/core/planner/modules/builds.ts" &&
      match.test(readFileSync(join(ROOT, file), "utf8")),
  );
  assert.deepEqual(wrong, []);
});

test("commands of kubectl are spelled in one place", () => {
  const command =
    /\bkubectl (-|(?:annotate|api-resources|apply|auth|config|cordon|create|delete|describe|drain|edit|exec|explain|get|label|logs|patch|rollout|scale|uncordon|version|wait)\b)/;
  const comment = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm;
  const wrong = files.filter(
    (file) =>
      !isTest(file) &&
      file !== "packages/controller-kit/src/base/kubectl.ts" &&
      command.test(readFileSync(join(ROOT, file), "utf8").replace(comment, "")),
  );
  assert.deepEqual(wrong, []);
});

test("options of a request are found by the syntax of its command, and never by a search for a word", () => {
  const search =
    /\.(?:some|every|find\w*|filter|flatMap|indexOf|lastIndexOf|includes)\([^;]*?(?:keyword\(|toUpperCase\(\))|\b(?:args|options|rest)(?:\.slice\([^)]*\)|\.map\([^)]*\))?\.(?:indexOf|lastIndexOf|includes|find\w*|some)\(/;
  const rooms = /^src\/(?:programs\/(?:proxy|link)|core\/merge|mechanisms\/site)\//;
  assert.match("args.findIndex((argument) => keyword(argument) === 'BLOCK')", search);
  const wrong = files.filter(
    (file) => !isTest(file) && rooms.test(file) && search.test(readFileSync(join(ROOT, file), "utf8")),
  );
  assert.deepEqual(wrong, []);
});

test("every room is known, and nothing imports a test or the test kit but tests", () => {
  const unknown = new Set(files.map(roomOf).filter((room) => room !== "bin" && !(room in MAY_IMPORT)));
  const wrong = ofSources.filter(({ file, target }) => !isForTests(file) && isForTests(target));
  assert.deepEqual([...unknown, ...wrong.map(said)], []);
});

test("the test kit imports nothing else of the tests", () => {
  const wrong = importsBelow(ROOT, ["test/kit"]).filter(({ target }) => /^test\/(?!kit\/)/.test(target));
  assert.deepEqual(wrong.map(said), []);
});

test("no file needs itself, by way of others, not even for types", () => {
  const edges = new Map<string, Set<string>>();
  for (const { file, target } of importsBelow(ROOT, [...SOURCES, "test", "scripts", "bench"]))
    edges.set(file, (edges.get(file) ?? new Set()).add(target));
  assert.deepEqual(circles(edges), []);
});

test("folders of the tests and scripts import each other in one direction", () => {
  const edges = new Map<string, Set<string>>();
  for (const { file, target } of importsBelow(ROOT, ["test", "scripts", "bench"])) {
    const [from, to] = [dirname(file), dirname(target)];
    if (!isTest(file) && from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  }
  assert.deepEqual(circles(edges), []);
});

test("no two places share over 12 lines", () => {
  assert.deepEqual(sharedRuns(ROOT, files, 12), []);
});

test("a name is exported only when another file uses it", () => {
  assert.deepEqual(idleExports(ROOT, SOURCES, ["test", "scripts", "bench"]), []);
});

test("nothing is in the source for tests alone", () => {
  assert.deepEqual(testOnlyExports(ROOT, SOURCES, ["scripts", "bench"]), []);
});

test("an exported name that no other file uses is seen; a type that another export takes is used", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "exports-"));
  const exporting = ["export const idle = 1;", "export interface Idle {}", "export type Taken = 1;"];
  const text = [...exporting, "export function used(of: Taken): Taken { return of; }"].join("\n");
  for (const [name, content] of [
    ["package.json", '{ "imports": {} }'],
    ["a/a.ts", text],
    ["b/b.ts", 'import { type Other, used as named } from "../a/a.ts";'],
    ["c/c.ts", "export const tested = 1;\nexport const both = tested;\nexport const probe = 1;"],
    ["c/c.test.ts", 'import { tested, both, probe } from "./c.ts";'],
    ["d/d.ts", 'import { both } from "../c/c.ts";'],
  ] as const) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    writeFileSync(join(folder.path, name), content);
  }
  assert.deepEqual(idleExports(folder.path, ["a"], ["b"]), ["a/a.ts exports idle", "a/a.ts exports Idle"]);
  assert.deepEqual(idleExports(folder.path, ["c"], []), []);
  assert.deepEqual(testOnlyExports(folder.path, ["c"], ["d"]), ["c/c.ts exports probe"]);
});

function roomsOf(group: string, names: string): readonly string[] {
  return names.split(" ").map((name) => `${group}/${name}`);
}

/** Group and name, for instance "ports/resp" of src/ports/resp/dial.ts; "bin" for entry points. The group of a package is its name. */
function roomOf(file: string): string {
  const [group = "", name = ""] = placeOf(file);
  return group === "bin" ? group : `${group}/${name}`;
}

/** The folder of a room that a file lies in: "." for the room itself. */
function folderOf(file: string): string {
  return placeOf(file).slice(0, -1)[2] ?? ".";
}

/** Group, room, folders and file. */
function placeOf(file: string): readonly string[] {
  const [top, ...rest] = file.split("/");
  return top === "packages" ? rest.toSpliced(1, 1) : rest;
}

function isSource(file: string): boolean {
  return SOURCES.some((folder) => file.startsWith(`${folder}/`));
}

/** A test, or a file that tests share. */
function isForTests(file: string): boolean {
  return isTest(file) || file.startsWith("test/") || /^packages\/[^/]+\/src\/testing\//.test(file);
}

function isTest(file: string): boolean {
  return file.endsWith(".test.ts");
}

function said({ file, target }: Import): string {
  return `${file} imports ${target}`;
}
