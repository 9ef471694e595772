import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { keyPlacesOf } from "../../../core/slots/keys-of.ts";
import { slotOf } from "../../../core/slots/slot.ts";
import { slotsIn } from "./crossing.ts";
import { KeysInPieces } from "./keys-in-pieces.ts";

/** What arrives, and what is known by then of its keys; `{1}` and `{1}b` have one slot, `{2}` has another. */
const TABLE = [
  { arrived: "*3 $3 SET $3 {1", known: {} },
  { arrived: "*3 $3 SET $3 {1}", known: { slot: "{1}" } },
  { arrived: "*3 $6 RENAME $3 {1} $4 {1}b", known: { slot: "{1}" } },
  { arrived: "*3 $6 RENAME $3 {1} $3 {2}", known: { slot: "{1}", crosses: true } },
  { arrived: "*5 $6 MSETNX $3 {1} $3 {2} $3 {1}", known: { slot: "{1}" } },
  { arrived: "*5 $6 MSETNX $3 {1} $3 {2} $3 {2}", known: { slot: "{1}", crosses: true } },
  { arrived: "*2 $6 RENAME $3 {1}", known: { isDecided: true } },
  { arrived: "*1 $3 GET", known: { isDecided: true } },
  { arrived: "*4 $5 ZDIFF $1 2 $3 {1", known: {} },
  { arrived: "*4 $5 ZDIFF $1 2 $3 {1} $3 {2}", known: { slot: "{1}", crosses: true } },
  { arrived: "*4 $5 ZDIFF $1 1 $3 {1} $3 {2}", known: { slot: "{1}" } },
  { arrived: "*4 $5 ZDIFF $1 x", known: { isDecided: true } },
  { arrived: "*4 $5 ZDIFF $2 99", known: { isDecided: true } },
  { arrived: "*4 $5 ZDIFF $1 0 $3 {", known: { isDecided: true } },
  { arrived: "*5 $11 ZUNIONSTORE $3 {1} $1 x $3 {2}", known: { slot: "{1}" } },
  { arrived: "*5 $11 ZUNIONSTORE $3 {1} $1 1 $3 {2}", known: { slot: "{1}", crosses: true } },
  { arrived: "*4 $5 BITOP $3 AND $3 {1", known: {} },
  { arrived: "*4 $5 BITOP $3 AND $3 {1} $3 {2}", known: { slot: "{1}", crosses: true } },
] as const;

for (const { arrived, known } of TABLE)
  test(`when ${arrived} has arrived, ${sentenceOf(known)}`, () => {
    const {
      slot,
      crosses = false,
      isDecided = false,
    }: { slot?: string; crosses?: boolean; isDecided?: boolean } = known;
    const keys = new KeysInPieces(keyPlacesOf(arrived.split(" ")[2] ?? "") ?? []);
    keys.take(
      Buffer.from(
        `${arrived.replaceAll(" ", "\r\n")}${arrived.endsWith("{1") || arrived.endsWith(" {") ? "" : "\r\n"}`,
      ),
    );
    const wanted = { slot: slot === undefined ? undefined : slotOf(Buffer.from(slot)), crosses };
    assert.deepEqual({ slot: keys.slot, crosses: keys.crosses }, wanted);
    assert.equal(keys.isDecided, isDecided || slot !== undefined);
  });

test("in any pieces, a request has the slots that it has as a whole", () => {
  const name = fc.constantFrom(
    ..."SET RENAME MSET MSETNX DEL ZDIFF ZUNIONSTORE BITOP LCS PFMERGE SINTERCARD".split(" "),
  );
  const word = fc.oneof(
    fc.constantFrom("", "0", "1", "2", "3", "{", "}", "{}", "{1}", "a{1}b", "{1", "{{1}}", "{}{1}"),
    fc.string({ maxLength: 6 }),
  );
  const request = fc.tuple(name, fc.array(word, { maxLength: 8 }));
  fc.assert(
    fc.property(request, fc.array(fc.nat()), ([command, words], cuts) => {
      const bytes = encodeCommand([command, ...words]);
      const keys = new KeysInPieces(keyPlacesOf(command) ?? []);
      let at = 0;
      for (const cut of cuts) keys.take(bytes.subarray(at, (at = Math.min(at + (cut % 12), bytes.length))));
      keys.take(bytes.subarray(at));
      const [first, ...others] = slotsIn(command, bytes);
      const isExecuted = first !== undefined;
      assert.equal(keys.isDecided, true);
      if (isExecuted) assert.equal(keys.slot, first);
      assert.equal(keys.crosses, isExecuted && others.some((slot) => slot !== first));
    }),
    { numRuns: 2_000 },
  );
});

function sentenceOf(known: { slot?: string; crosses?: boolean; isDecided?: boolean }): string {
  if (known.crosses === true) return "its keys are known to lie in several slots";
  if (known.slot !== undefined) return "its first key is known";
  return known.isDecided === true ? "it is known to have no key" : "its first key is not known";
}
