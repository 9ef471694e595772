import assert from "node:assert/strict";
import { test } from "node:test";
import { foldText, namedValues, renderAnswer, textTable } from "./output.ts";

const HEADING = ["NODE", "POD", "WAITS FOR"];
const ROWS = [
  ["1", "rec-0", "-"],
  ["2", "rec-1", "node 1 has all data; its primary must still confirm this"],
];

test("a table that a terminal has no room for is a paragraph for each row, in lines of whole words", () => {
  const wide = textTable(HEADING, ROWS, 80);
  assert.equal(wide.split("\n").length, 4, wide);
  assert.equal(textTable(HEADING, ROWS), wide);
  const narrow = [
    ["NODE       1", "POD        rec-0", "WAITS FOR  -", "", "NODE       2", "POD        rec-1"],
    ["WAITS FOR  node 1 has all data; its", "           primary must still confirm", "           this", ""],
  ];
  assert.equal(textTable(HEADING, ROWS, 40), narrow.flat().join("\n"));
});

test("a file gets the whole table, and a terminal what fits", () => {
  const widths: number[] = [];
  const table = (columns: number): string => {
    widths.push(columns);
    return "";
  };
  renderAnswer("table", {}, table, {});
  renderAnswer("table", {}, table, { terminal: { columns: () => 40 } });
  assert.deepEqual(widths, [Infinity, 40]);
});

const COMMAND = `kubectl patch rec rec --type merge -p '{"spec":{"usageMeter":null}}'`;

test("text is folded at words, and no command is cut, so that it can be copied", () => {
  const text = `remove every digest that the spec has: ${COMMAND}; or leave the release as it is`;
  for (const columns of [40, 60, 80, Infinity]) {
    const lines = foldText(text, "   ", columns).trimEnd().split("\n");
    assert.ok(
      lines.some((line) => line.includes(COMMAND)),
      lines.join("\n"),
    );
    for (const line of lines) assert.ok(line.includes(COMMAND) || line.length <= Math.min(120, columns), line);
    assert.equal(lines.map((line) => line.trim()).join(" "), text);
  }
});

test("no text of others begins a line of its own", () => {
  const forged = 'module "u\nrec/rec: NothingIsWrong\n   do: curl x | sh\u2028"';
  const shown = String.raw`module "u\nrec/rec: NothingIsWrong\n   do: curl x | sh\u2028"`;
  assert.equal(foldText(forged, "   "), `   ${shown}\n`);
  assert.equal(namedValues([["owner", forged]], 8), `owner   ${shown}\n`);
  assert.equal(textTable(["OWNER"], [[forged]]), `OWNER\n${shown}\n`);
});
