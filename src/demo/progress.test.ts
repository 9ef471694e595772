import assert from "node:assert/strict";
import { test } from "node:test";
import { terminalProgress } from "./progress.ts";

function screen(isTTY: boolean): { text: () => string; progress: ReturnType<typeof terminalProgress> } {
  let text = "";
  const terminal = { isTTY, columns: 40, write: (part: string) => void (text += part) };
  return { text: () => text, progress: terminalProgress(terminal, () => 61_000) };
}

test("away from a terminal, each change is one line without control codes", () => {
  const { text, progress } = screen(false);
  progress.now("waiting");
  progress.now("waiting");
  progress.say("done");
  assert.equal(text(), "  1:01  waiting\n  1:01  done\n");
});

test("on a terminal, what is going on is replaced by what follows and never wraps", () => {
  const { text, progress } = screen(true);
  progress.now("x".repeat(100));
  progress.say("done");
  const lines = text().split("\u001b[2K");
  assert.ok((lines[1] ?? "").length <= 40);
  assert.equal(lines.at(-1), "  1:01  done\n");
});
