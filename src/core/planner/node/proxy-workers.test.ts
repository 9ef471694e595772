import assert from "node:assert/strict";
import { test } from "node:test";
import { NODE_RESERVE_BYTES, nodeReserveBytes } from "./capacity.ts";
import { proxyWorkers } from "./proxy-workers.ts";

const AMPLE = 64 * 2 ** 30;

for (const [rule, cpus, memory, workers] of [
  ["one where nothing limits the processors", Number.POSITIVE_INFINITY, AMPLE, 1],
  ["one of half a processor", 0.5, AMPLE, 1],
  ["one beside the agent", 2, AMPLE, 1],
  ["one for each processor beside the agent", 3, AMPLE, 2],
  ["a part of a processor is none", 3.9, AMPLE, 2],
  ["never more than four", 32, AMPLE, 4],
  ["one where the memory is just enough for it", 8, NODE_RESERVE_BYTES, 1],
  ["one where the memory is not enough for it", 8, NODE_RESERVE_BYTES / 2, 1],
  ["as many as the memory is enough for", 8, nodeReserveBytes(3), 3],
  ["no further one for a part of its memory", 8, nodeReserveBytes(3) - 1, 2],
] as const)
  test(`workers of a proxy: ${rule}`, () => {
    assert.equal(proxyWorkers(cpus, memory), workers);
  });
