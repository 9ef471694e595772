import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempDisposableSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { exclusively } from "../machine/exclusive.ts";
import { builtFolder, findAssets, STAMP } from "./folder.ts";
import { missingPackages } from "./machine-packages.ts";
import { impossibility, type MachineFacts } from "./possible.ts";
import { MODULE, packagesOf, stampOf, VERSION, type Level } from "./recipe.ts";

using temporary = mkdtempDisposableSync(join(tmpdir(), "assets-"));
const folder = temporary.path;

await test("go.mod takes every part of Kubernetes from the same release", () => {
  const replaced = readFileSync(join(MODULE, "go.mod"), "utf8").matchAll(/=> (k8s\.io\/\S+) (\S+)/g);
  const versions = [...replaced].map(([, , version = ""]) => version);
  assert.ok(versions.length > 20, `only ${versions.length} parts`);
  assert.deepEqual([...new Set(versions)], [VERSION.replace(/^v1/, "v0")]);
});

const good: MachineFacts = {
  platform: "linux",
  go: "go version go1.24.0 linux/amd64",
  distribution: "debian",
  isRoot: true,
  hasCgroups: true,
  hasNamespaces: true,
};
const machines: readonly (readonly [name: string, level: Level, machine: MachineFacts, why: RegExp | undefined])[] = [
  ["a Debian with Go makes the control plane", "api", good, undefined],
  ["a Debian with Go and root makes nodes", "nodes", good, undefined],
  [
    "a control plane needs neither root nor a known distribution",
    "api",
    { ...good, isRoot: false, distribution: undefined, hasCgroups: false, hasNamespaces: false },
    undefined,
  ],
  ["nothing but Linux", "api", { ...good, platform: "darwin" }, /on Linux only, this is darwin/],
  ["Go has to be there", "api", { ...good, go: undefined }, /PATH has no go/],
  [
    "Go 1.23 is too old",
    "api",
    { ...good, go: "go version go1.23.9 linux/amd64" },
    /Go 1\.24 or later, this is "go version go1\.23\.9/,
  ],
  ["Go 1.100 is not", "api", { ...good, go: "go version go1.100 linux/amd64" }, undefined],
  ["nodes need packages of a known distribution", "nodes", { ...good, distribution: undefined }, /Debian or Ubuntu/],
  ["nodes need root", "nodes", { ...good, isRoot: false }, /takes root/],
  ["nodes need control groups", "nodes", { ...good, hasCgroups: false }, /control groups.*missing or read-only/],
  ["root without privileges makes no nodes", "nodes", { ...good, hasNamespaces: false }, /refuses even to root/],
];
for (const [name, level, machine, why] of machines) {
  await test(name, () => {
    const said = impossibility(level, machine);
    if (why === undefined) assert.equal(said, undefined);
    else assert.match(said ?? "", why);
  });
}

await test("a folder counts when it was made from what the recipe says now", () => {
  const env = { ...process.env, XDG_CACHE_HOME: folder, KUBEBUILDER_ASSETS: "" };
  const built = builtFolder("api", env);
  const reason = (): string => {
    const found = findAssets("api", env);
    return "reason" in found ? found.reason : "";
  };
  assert.match(reason(), /are not built; build them: npm run kube-assets -- api|no go|on Linux only/);
  mkdirSync(built, { recursive: true });
  assert.notEqual(reason(), "", "a folder without a stamp is not complete");
  writeFileSync(join(built, STAMP), "made from something else");
  assert.notEqual(reason(), "");
  writeFileSync(join(built, STAMP), stampOf("api"));
  assert.deepEqual(findAssets("api", env), { folder: built });
});

await test("the stamp follows the pinned modules and the level", () => {
  const sums = (text: string) => (path: string) => (path.endsWith("go.sum") ? text : "");
  assert.equal(stampOf("api", sums("a")), stampOf("api", sums("a")));
  assert.notEqual(stampOf("api", sums("a")), stampOf("api", sums("b")));
  assert.notEqual(stampOf("api", sums("a")), stampOf("nodes", sums("a")));
});

await test("KUBEBUILDER_ASSETS serves the control plane, never nodes, and is refused when a program is missing", () => {
  const given = mkdtempSync(join(folder, "given-"));
  const env = { ...process.env, XDG_CACHE_HOME: folder, KUBEBUILDER_ASSETS: given };
  for (const name of ["kube-apiserver", "kubectl"]) writeFileSync(join(given, name), "");
  const incomplete = findAssets("api", env);
  assert.ok("reason" in incomplete);
  assert.match(incomplete.reason, new RegExp(`KUBEBUILDER_ASSETS names ${given}, which lacks etcd`));
  writeFileSync(join(given, "etcd"), "");
  assert.deepEqual(findAssets("api", env), { folder: given });
  assert.ok("reason" in findAssets("nodes", env));
});

await test("missing commands are listed as packages, each once", () => {
  assert.deepEqual(
    missingPackages(() => true),
    [],
  );
  assert.deepEqual(
    missingPackages((command) => command === "ip"),
    ["mount", "nftables", "util-linux"],
  );
});

await test("an Ubuntu takes every package from its own suites", () => {
  const { suites, packages } = packagesOf({ id: "ubuntu", codename: "noble" });
  assert.deepEqual(suites, ["noble", "noble-updates"]);
  assert.deepEqual(packages, ["containerd", "containernetworking-plugins", "runc"]);
});

await test(
  "one at a time, in this process and others; the lock of a killed holder is free",
  { skip: process.platform !== "linux" },
  async () => {
    const module = join(import.meta.dirname, "../machine/exclusive.ts");
    const held = `const { exclusively } = await import(${JSON.stringify(module)});
    await exclusively(${JSON.stringify(folder)}, () => {}, () => { console.log("held"); return new Promise(() => setInterval(() => {}, 1e6)); });`;
    const holder = spawn(process.execPath, ["--input-type=module", "--eval", held], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");
    const waits = Promise.withResolvers<void>();
    const order: string[] = [];
    const ours = exclusively(folder, waits.resolve, async () => {
      order.push("ours");
      await Promise.resolve();
    });
    await waits.promise;
    assert.deepEqual(order, []);
    holder.kill("SIGKILL");
    await ours;
    let inside = 0;
    const work = async (): Promise<void> => {
      assert.equal((inside += 1), 1);
      await new Promise(setImmediate);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 5 }, () => exclusively(folder, () => undefined, work)));
  },
);
