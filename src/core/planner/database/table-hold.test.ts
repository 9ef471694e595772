import assert from "node:assert/strict";
import { test } from "node:test";
import { whyHeldForLong } from "./table-hold.ts";

const cases: readonly (readonly [rule: string, answersMs: number, insists: boolean, says: RegExp | undefined])[] = [
  ["clients are held while all answer quickly", 5, false, undefined],
  ["they are not while nodes and engines take long", 90, false, /some 720 ms: nodes and engines take 90 ms/],
  ["what has waited for long holds them for longer", 400, true, undefined],
  ["and not for as long as would come to nothing", 505, true, /some 4040 ms/],
];

for (const [rule, answersMs, insists, says] of cases)
  test(`a switch to other shards: ${rule}`, () => {
    const why = whyHeldForLong(answersMs, insists);
    if (says === undefined) assert.equal(why, undefined);
    else assert.match(why ?? "", says);
  });
