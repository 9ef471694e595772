import assert from "node:assert/strict";
import { test } from "node:test";
import { matchConditionHolds } from "./match-condition.ts";

const scope = { request: { userInfo: { username: "ann" } }, object: { metadata: { name: "a" } } };

const cases: readonly (readonly [expression: string, holds: boolean])[] = [
  ['request.userInfo.username == "ann"', true],
  ["request.userInfo.username != 'ann'", false],
  ["has(object.metadata.name)", true],
  ["!has(object.metadata.deletionTimestamp)", true],
  ['has(object.metadata.name) && request.userInfo.username == "bob"', false],
  ['request.userInfo.username == "bob" || has(object.metadata.name)', true],
  ["!(has(object.metadata.name) && has(object.metadata.name))", false],
];

for (const [expression, holds] of cases) {
  test(`a match condition: ${expression} is ${holds}`, () => {
    assert.equal(matchConditionHolds(expression, scope), holds);
  });
}

for (const expression of ["", "object.metadata.name", "size(object) == 1", 'has(object.a) == "x"', "true"]) {
  test(`a match condition outside of what is known is refused: ${JSON.stringify(expression)}`, () => {
    assert.throws(
      () => matchConditionHolds(expression, scope),
      /the condition .* (is not understood at|reads a field that does not exist)/,
    );
  });
}
