import assert from "node:assert/strict";
import { test } from "node:test";
import { terminalProgress, type Progress } from "./progress.ts";

function screen(isTTY: boolean, elapsed = () => 61_000): { text: () => string; progress: Progress } {
  let text = "";
  const terminal = { isTTY, columns: 40, write: (part: string) => void (text += part) };
  return { text: () => text, progress: terminalProgress(terminal, elapsed) };
}

test("without a terminal, the present state is printed only after a long silence, without control codes", () => {
  let elapsed = 61_000;
  const { text, progress } = screen(false, () => elapsed);
  progress.report("begun");
  progress.update("waiting");
  elapsed = 72_000;
  progress.update("still waiting");
  progress.update("still waiting for something else");
  progress.report("done");
  assert.equal(text(), "  1:01  begun\n  1:12  still waiting\n  1:12  done\n");
});

test("on a terminal, the next line replaces the present state, which never wraps", () => {
  const { text, progress } = screen(true);
  progress.update("x".repeat(100));
  progress.report("done");
  const lines = text().split("\u001b[2K");
  assert.ok((lines[1] ?? "").length <= 40);
  assert.equal(lines.at(-1), "  1:01  done\n");
});
