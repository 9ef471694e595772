import assert from "node:assert/strict";
import { test } from "node:test";
import { installationOf, type ModuleHolder } from "./installation.ts";

const installedTime = "2026-01-01T00:00:00.000Z";
const SOON = new Date("2026-01-01T00:00:59.000Z");
const LATER = new Date("2026-01-01T00:01:00.000Z");

const has: ModuleHolder = { fresh: true, modules: ["one", "other"] };
const lacks: ModuleHolder = { fresh: true, modules: ["other"] };
const silent: ModuleHolder = { fresh: false, modules: [] };

const rules = [
  ["a build that every node has is installed", [has, has], LATER, "completed", 100],
  ["a build that a node still fetches is being installed", [has, lacks, lacks], LATER, "running", 33],
  ["a node that is silent is not waited for", [has, silent], LATER, "completed", 100],
  ["a build that no node has is lost", [lacks, lacks], LATER, "failed", 0],
  ["a node that is silent may have the build that no other has", [lacks, silent], LATER, "running", 0],
  ["a build that was just uploaded may not be reported yet", [lacks, lacks], SOON, "running", 0],
] as const;
for (const [rule, nodes, now, status, progress] of rules) {
  test(rule, () => {
    const found = installationOf({ uid: "one", name: "tally", version: "1.0.0", installedTime }, nodes, now);
    assert.deepEqual([found.status, found.progress], [status, progress]);
    assert.equal(found.error === undefined, status !== "failed");
  });
}
