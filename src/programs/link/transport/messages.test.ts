import assert from "node:assert/strict";
import { test } from "node:test";
import { faults } from "../faults.ts";
import { isFault } from "#kit/base/fault";
import { originOf } from "../../../core/merge/operations/origin.ts";
import { NOTHING, vectorOf } from "../../../core/merge/operations/version-vector.ts";
import { commonFormat, encodeGreeting, encodeStatement, LINK_FORMATS, readGreeting } from "./messages.ts";

const greeting = { guid: "g", from: 2, to: 1, formats: [1], received: vectorOf([[2, 7]]), origin: 2 };
const [best = 0] = LINK_FORMATS;
const offers: readonly (readonly [formats: readonly number[], spoken: number | undefined])[] = [
  [LINK_FORMATS, best],
  [[best + 1, best], best],
  [[best, best + 1], best],
  [[best + 1], undefined],
];

for (const [formats, spoken] of offers) {
  const what = spoken === undefined ? "is refused, with what both speak" : `is answered in ${spoken}`;
  test(`a link that speaks the formats ${formats.join(", ")} ${what}`, () => {
    const answer = (): number => commonFormat({ ...greeting, formats: [...formats] });
    if (spoken !== undefined) assert.equal(answer(), spoken);
    else
      assert.throws(
        answer,
        (error: unknown) => isFault(error, faults.format) && /formats 1,.* one 2\.$/.test(String(error)),
      );
  });
}

test("a greeting of a later release, which says more, is understood as far as it goes", () => {
  const body = Buffer.from(
    '{"guid":"g","from":2,"to":1,"formats":[2,1],"received":{"2":7},"origin":2,"novelty":{"is":"here"}}',
  );
  assert.deepEqual(readGreeting({ kind: "greeting", body }), { ...greeting, formats: [2, 1] });
});

test("what a site has received is written as releases before wrote it: an object of numbers by origin", () => {
  const received = vectorOf([
    [130, 4],
    [2, 7],
  ]);
  assert.match(encodeGreeting({ ...greeting, received }).toString(), /"received":\{"2":7,"130":4\}/);
  const statement = { received, site: { sites: [1, 2], received, forgotten: NOTHING } };
  assert.match(
    encodeStatement(statement).toString(),
    /\{"received":\{"2":7,"130":4\},"site":\{"sites":\[1,2\],"received":\{"2":7,"130":4\},"forgotten":\{\}\}\}$/,
  );
});

test("a greeting with a number that no site can have is refused: it would be said again to all others", () => {
  const beyond = originOf(1, 2 ** 31 + 1);
  for (const wrong of [
    `"received":{"${beyond}":1},"origin":2`,
    '"received":{"64":1},"origin":2',
    `"received":{},"origin":${beyond}`,
  ]) {
    const body = Buffer.from(`{"guid":"g","from":2,"to":1,"formats":[1],${wrong}}`);
    assert.throws(() => readGreeting({ kind: "greeting", body }), { code: faults.malformed.code }, wrong);
  }
});
