import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { cpuLimit } from "./cpu-limit.ts";

const FOLDER = "sys/fs/cgroup";

for (const [rule, files, limit] of [
  ["version 2 says quota and period", { "cpu.max": "150000 100000\n" }, 1.5],
  ["the period may be another one", { "cpu.max": "50000 25000\n" }, 2],
  ["version 1 says them in two files", { "cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n" }, 3],
  ["no quota is no limit", { "cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n" }, undefined],
  ["nor is max", { "cpu.max": "max 100000\n" }, undefined],
] as const)
  test(`processors of a container: ${rule}`, (t) => {
    const root = mkdtempSync(join(tmpdir(), "cpu-"));
    t.after(() => {
      rmSync(root, { recursive: true });
    });
    const unlimited = cpuLimit(root);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, FOLDER, name)), { recursive: true });
      writeFileSync(join(root, FOLDER, name), text);
    }
    // the groups that the test is in may have a lower one
    assert.equal(cpuLimit(root), Math.min(unlimited, limit ?? Number.POSITIVE_INFINITY));
  });
