import assert from "node:assert/strict";
import { test } from "node:test";
import { visibleLine, visibleText } from "./visible.ts";

const FORGED = "ACME\u001b[2K\r\u001b[1A\u001b]0;title\u0007\nstate     Valid\u001b[8m\u202e\u009b1m";

test("text for a terminal has no control characters but its lines", () => {
  assert.equal(
    visibleText(FORGED),
    String.raw`ACME\u001b[2K\u000d\u001b[1A\u001b]0;title\u0007` +
      "\n" +
      String.raw`state     Valid\u001b[8m\u202e\u009b1m`,
  );
});

test("a cell is one line", () => {
  assert.equal(visibleLine("a\nb\tc"), String.raw`a\nb\u0009c`);
  assert.equal(visibleLine("Zürich, 東京 ✓"), "Zürich, 東京 ✓");
});
