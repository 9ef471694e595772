import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "./limits.ts";
import { MemoryBudget } from "./memory-budget.ts";

const MEBIBYTE = 2 ** 20;

test("memory budget: below the limit no client is cut, above it the heaviest one", () => {
  const budget = new MemoryBudget(LIMITS.allHeldBytes);
  const cut: string[] = [];
  const client = (name: string, heldBytes: number) => ({ heldBytes, relieve: () => void cut.push(name) });
  const heavy = client("heavy", LIMITS.allHeldBytes - 2 * MEBIBYTE);
  for (const one of [client("light", MEBIBYTE), heavy]) budget.note(one);
  assert.deepEqual(cut, []);
  const late = client("late", 2 * MEBIBYTE);
  budget.note(late);
  assert.deepEqual(cut, ["heavy"], "not the one that comes last");
  budget.note(client("again", LIMITS.allHeldBytes - 4 * MEBIBYTE));
  assert.deepEqual(cut, ["heavy"], "there is room again");
});

test("memory budget: what a client has read does not count", () => {
  const budget = new MemoryBudget(LIMITS.allHeldBytes);
  const cut: string[] = [];
  const reader = { heldBytes: LIMITS.allHeldBytes - MEBIBYTE, relieve: () => void cut.push("reader") };
  budget.note(reader);
  reader.heldBytes = MEBIBYTE;
  budget.note(reader);
  budget.note({ heldBytes: 4 * MEBIBYTE, relieve: () => void cut.push("other") });
  budget.forget(reader);
  assert.deepEqual(cut, []);
});
