import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#kit/testing/fake-clock";
import { progressLine } from "./progress.ts";

test("without a terminal each change is a line, and a text that does not change is printed once", () => {
  const { said, print } = paper();
  const line = progressLine({ print, clock: new FakeClock() });
  line.show({ done: 0, of: 2, what: "nodes", now: "" });
  line.show({ done: 0, of: 2, what: "nodes", now: "" });
  line.show({ done: 1, of: 2, what: "nodes", now: "waits" });
  line.end();
  assert.equal(said(), "   [                    ] 0 of 2 nodes\n   [##########          ] 1 of 2 nodes: waits\n");
});

const REASON = "node 2 is evacuated and may be replaced";

test("at a terminal one line is drawn over, never wider than it, with the time that has passed", async () => {
  const { said, print } = paper();
  const clock = new FakeClock();
  const line = progressLine({ print, clock, terminal: { columns: () => 100 } });
  line.show({ done: 1, of: 2, what: "nodes at 8.2.0-25.12", now: REASON });
  await clock.advance(3_000);
  line.show({ done: 2, of: 2, what: "nodes", now: "" });
  line.end();
  const drawn = said().split("\r\u001b[2K").slice(1);
  assert.equal(drawn.length, 2);
  assert.match(drawn[0] ?? "", /^ {3}\[##########          \] 1 of 2 nodes at 8\.2\.0-25\.12: node 2 is .*… \(0 s\)$/);
  assert.equal(drawn[1], "   [####################] 2 of 2 nodes (3 s)\n");
  for (const each of drawn) assert.ok(each.trimEnd().length < 100, each);
});

test("a narrow terminal gets the reason, and no bar", () => {
  for (const columns of [40, 60, 80]) {
    const { said, print } = paper();
    const line = progressLine({ print, clock: new FakeClock(), terminal: { columns: () => columns } });
    line.show({ done: 1, of: 3, what: "nodes at 8.2.0-25.12", now: REASON });
    line.show({ done: 3, of: 3, what: "nodes at 8.2.0-25.12", now: "" });
    const [first = "", last] = said().split("\r\u001b[2K").slice(1);
    assert.ok(first.length < columns, first);
    assert.match(
      first,
      columns === 40 ? /^1\/3 {2}node 2 is evacuated and may… \(0 s\)$/ : new RegExp(`^1/3 {2}${REASON} \\(0 s\\)$`),
    );
    assert.equal(last, "3/3  nodes at 8.2.0-25.12 (0 s)");
  }
});

test("a line that nothing was shown on leaves no empty one", () => {
  const { said, print } = paper();
  progressLine({ print, clock: new FakeClock(), terminal: { columns: () => 80 } }).end();
  assert.equal(said(), "");
});

function paper(): { readonly said: () => string; readonly print: (text: string) => void } {
  let all = "";
  return {
    said: () => all,
    print: (text) => {
      all += text;
    },
  };
}
