import assert from "node:assert/strict";
import { test } from "node:test";
import { objectionsToDefinition, type DefinitionChange } from "./definition.ts";
import { sentence } from "./objection.ts";

interface Case {
  readonly rule: string;
  readonly change: DefinitionChange;
  readonly says?: RegExp;
}

const cases: readonly Case[] = [
  { rule: "a newer one replaces an older one", change: { mark: "8.2.0-12", before: "8.0.18-11" } },
  { rule: "one of the same release replaces it", change: { mark: "8.2.0-12", before: "8.2.0-12" } },
  { rule: "one without a mark may get one", change: { mark: "7.4.2-2", before: undefined } },
  {
    rule: "an older one is refused, with both releases",
    change: { mark: "8.0.18-11", before: "8.2.0-12" },
    says: /^metadata\.annotations\[storeenterprise\.io\/release\]: Forbidden: .* of 8\.0\.18-11 .* of 8\.2\.0-12: .*; leave it/,
  },
  {
    rule: "a mark is not taken away",
    change: { mark: undefined, before: "8.2.0-12" },
    says: /of no marked release/,
  },
];

for (const { rule, change, says } of cases) {
  test(`admission of a definition: ${rule}`, () => {
    const said = objectionsToDefinition(change).map(sentence);
    assert.equal(said.length, says === undefined ? 0 : 1);
    assert.match(said.join(), says ?? /^$/);
  });
}
