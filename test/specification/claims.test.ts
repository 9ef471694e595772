import assert from "node:assert/strict";
import { test } from "node:test";
import { claimsIn } from "./claims.ts";

const RULE = "§8 SHARDS LIMIT shows the licence's limit";
const claim = `proves("${RULE}", "the listing")`;

test("a claim counts with the assertion that is called on it", () => {
  const text = `test("a", async () => { ${claim}.equal(row.limit, "4"); await ${claim}.until(() => row.is(4)); });`;
  const one = { rule: RULE, looksAt: "the listing" };
  assert.deepEqual(claimsIn("a.test.ts", text), [one, one]);
});

test("a rule that is only named is no claim", () => {
  assert.deepEqual(claimsIn("a.test.ts", `test("${RULE}", () => undefined); const all = ["${RULE}"];`), []);
});

const nothing: Readonly<Record<string, readonly [text: string, says: RegExp]>> = {
  "no assertion": [`${claim};`, /a\.test\.ts:1: .* has no assertion/],
  "an assertion that is not called": [`const check = ${claim}.equal;`, /has no assertion/],
  "a constant": [`${claim}.equal(true, seen);`, /asserts nothing that was seen/],
  "a wait for a constant": [`await ${claim}.until(() => true);`, /asserts nothing that was seen/],
  "the same twice": [`${claim}.deepEqual(seen, seen);`, /asserts nothing that was seen/],
  "a table of the source": [
    `import { CATALOGUE } from "../../src/core/c.ts"; ${claim}.deepEqual(CATALOGUE.filter(isNew), wanted);`,
    /asserts nothing that was seen/,
  ],
  "what is made of a table of the source": [
    `import { CATALOGUE } from "../../src/core/c.ts"; const NEW = CATALOGUE.filter(isNew); ${claim}.equal(NEW.length, 3);`,
    /asserts nothing that was seen/,
  ],
  "a computed rule": [`proves(names[0], "all").equal(seen, 1);`, /as literals/],
  "nothing that is looked at": [`proves("${RULE}").equal(seen, 1);`, /as literals/],
};
for (const [what, [text, says]] of Object.entries(nothing)) {
  test(`a claim with ${what} is refused`, () => {
    assert.throws(() => claimsIn("a.test.ts", text), says);
  });
}
