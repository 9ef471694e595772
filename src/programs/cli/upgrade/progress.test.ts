import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../../test/kit/time/fake-clock.ts";
import { progressLine } from "./progress.ts";

test("without a terminal each change is a line, and a text that does not change is printed once", () => {
  const { said, print } = paper();
  const line = progressLine({ print, clock: new FakeClock() });
  line.show({ done: 0, of: 2, what: "nodes" });
  line.show({ done: 0, of: 2, what: "nodes" });
  line.show({ done: 1, of: 2, what: "nodes: waits" });
  line.end();
  assert.equal(said(), "   [                    ] 0 of 2 nodes\n   [##########          ] 1 of 2 nodes: waits\n");
});

test("at a terminal one line is drawn over, never wider than it, with the time that has passed", async () => {
  const { said, print } = paper();
  const clock = new FakeClock();
  const line = progressLine({ print, clock, terminal: { columns: () => 60 } });
  line.show({ done: 1, of: 2, what: "nodes at 8.2.0-25.12: the pod is being replaced" });
  await clock.advance(3_000);
  line.show({ done: 2, of: 2, what: "nodes" });
  line.end();
  const drawn = said().split("\r\u001b[2K").slice(1);
  assert.equal(drawn.length, 2);
  assert.match(drawn[0] ?? "", /^ {3}\[##########          \] 1 of 2 nodes at .*… \(0 s\)$/);
  assert.equal(drawn[1], "   [####################] 2 of 2 nodes (3 s)\n");
  for (const each of drawn) assert.ok(each.trimEnd().length < 60, each);
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
