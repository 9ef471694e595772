import assert from "node:assert/strict";
import { test } from "node:test";
import { whyHeldForLong, type TableRehearsal } from "./table-hold.ts";

const QUICK: TableRehearsal = { recordMs: 10, answersMs: 5 };

const cases: readonly (readonly [
  rule: string,
  rehearsal: Partial<TableRehearsal>,
  insists: boolean,
  says: RegExp | undefined,
])[] = [
  ["clients are held while all answer quickly", {}, false, undefined],
  [
    "they are not while the record takes long, because it is written twice",
    { recordMs: 300 },
    false,
    /held for some 640 ms: the Kubernetes API takes 300 ms for a record/,
  ],
  ["nor while nodes and engines take long", { answersMs: 90 }, false, /some 740 ms: .* nodes and engines 90 ms/],
  ["what has waited for long holds them for longer", { recordMs: 1_500 }, true, undefined],
  ["and not for as long as would come to nothing", { recordMs: 2_000 }, true, /some 4040 ms/],
];

for (const [rule, rehearsal, insists, says] of cases)
  test(`a switch to other shards: ${rule}`, () => {
    const why = whyHeldForLong({ ...QUICK, ...rehearsal }, insists);
    if (says === undefined) assert.equal(why, undefined);
    else assert.match(why ?? "", says);
  });
