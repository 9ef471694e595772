import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { keptReleases } from "../../scripts/releases/history.ts";

const DEMO = join(import.meta.dirname, "../../src/bin/demo.ts");

test("a release that is not kept is refused, with those that are", () => {
  const { status, stderr } = spawnSync(process.execPath, [DEMO, "--from", "0.0.1"], { encoding: "utf8" });
  const versions = keptReleases().map(({ version }) => version);
  assert.equal(status, 2);
  assert.match(stderr, new RegExp(`--from is "0\\.0\\.1", but must be one of ${versions.join(", ")}\n`));
});
