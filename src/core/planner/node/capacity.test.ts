import assert from "node:assert/strict";
import { test } from "node:test";
import { containerLimit } from "#kit/base/container-limit";
import { freeBytes, instanceBytes, largestDatabase, NODE_RESERVE_BYTES } from "./capacity.ts";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
/** What cgroups of version 1 and libuv say of a container without a limit. */
const [NO_LIMIT_V1, NO_LIMIT] = [9_223_372_036_854_771_712, 18_446_744_073_709_551_615];

const limits: readonly { readonly rule: string; readonly stated: readonly number[]; readonly want: number }[] = [
  { rule: "the limit that is stated", stated: [4 * GIB], want: 4 * GIB },
  { rule: "of two groups that lie in one another, the lower one", stated: [8 * GIB, 4 * GIB, NO_LIMIT], want: 4 * GIB },
  { rule: "without a limit, what the machine has", stated: [], want: 24 * GIB },
  { rule: "a number that stands for no limit is none", stated: [NO_LIMIT_V1, NO_LIMIT], want: 24 * GIB },
  { rule: "more than the machine has is not there", stated: [64 * GIB], want: 24 * GIB },
  { rule: "a system that knows no limit says 0", stated: [0], want: 24 * GIB },
];
for (const { rule, stated, want } of limits)
  test(`limit of a container: ${rule}`, () => {
    assert.equal(containerLimit(stated, 24 * GIB), want);
  });

test("an instance needs its data, a tenth for gaps, a fork of it, half for a replica, and its engine", () => {
  assert.equal(instanceBytes(1024 * MIB) / MIB, 1024 + 102.4 + 1024 + 512 + 16);
});

test("what waits for a replica is at least 32 MiB and at most 1 GiB", () => {
  assert.equal(instanceBytes(10 * MIB) / MIB, 10 + 1 + 10 + 32 + 16);
  assert.equal(instanceBytes(10 * GIB) / MIB, 10_240 * 2.1 + 1024 + 16);
});

const container = { limit: 4 * GIB, reserve: NODE_RESERVE_BYTES };

test("the largest database of an empty container of 4 GiB has 1.3 GB, and just fits", () => {
  const largest = largestDatabase(freeBytes(container, []));
  assert.equal(Math.floor(largest / 1e6), 1361);
  assert.ok(freeBytes(container, [largest]) >= 0);
  assert.ok(freeBytes(container, [largest + MIB]) < 0);
});

test("twelve databases of 100 MB fit into it, and what is left takes none of 100 MB", () => {
  const twelve = Array.from({ length: 12 }, () => 100e6);
  assert.ok(freeBytes(container, twelve) >= 0);
  assert.ok(largestDatabase(freeBytes(container, twelve)) < 100e6);
});

test("where more was given than there is, no database fits", () => {
  const bytes = freeBytes(container, [4 * GIB]);
  assert.ok(bytes < 0);
  assert.equal(largestDatabase(bytes), 0);
});
