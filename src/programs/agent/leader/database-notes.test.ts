import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseNotes } from "./database-notes.ts";

test("all that is kept of a database goes with it, and nothing of another", () => {
  const notes = new DatabaseNotes();
  notes.of(7).lastSeen.set(1, { offset: 90, at: 5 });
  notes.of(7).reasonAt = 5;
  notes.of(7).failed = new Set([1]);
  notes.of(7).failedSteps.note({ kind: "activate" }, { code: "AGENT_MOVE_NOT_DONE" }, 5);
  notes.of(8).reasonAt = 6;
  notes.forget(7);
  assert.deepEqual(notes.databases, [8]);
  const { failedSteps, ...rest } = notes.of(7);
  assert.deepEqual(rest, { lastSeen: new Map(), reasonAt: undefined, failed: undefined });
  assert.equal(failedSteps.waitMs({ kind: "activate" }, 5), 0);
  assert.equal(notes.of(8).reasonAt, 6);
});
