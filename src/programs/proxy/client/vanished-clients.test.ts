import assert from "node:assert/strict";
import { test } from "node:test";
import { VanishedClients } from "./vanished-clients.ts";

const CLIENT = { address: "10.0.0.2:40000", localAddress: "10.0.0.1:12000" };

const rules: readonly (readonly [rule: string, asked: readonly (number | undefined)[], want: boolean])[] = [
  ["a client that acknowledges nothing for half a minute has vanished", [3, 6, 7, 8], true],
  ["not before", [undefined, 3, 6, 7], false],
  ["one that was asked a few times is slow", [2, 2, 2, 2], false],
  ["one that has acknowledged all in between has not vanished", [7, 8, undefined, 3], false],
  ["and neither has one that has acknowledged something", [7, 8, 3, 6], false],
];
for (const [rule, asked, want] of rules)
  test(`vanished clients: ${rule}`, () => {
    const vanished = new VanishedClients();
    const verdicts = asked.map((times, i) => {
      if (times !== undefined) vanished.see(i * 10_000, [{ ends: "0100000A:2EE0 0200000A:9C40", asked: times }]);
      return vanished.judge()?.(CLIENT) ?? false;
    });
    assert.equal(verdicts.at(-1), want);
  });
