import assert from "node:assert/strict";
import { test } from "node:test";
import { isAuthorized } from "./auth.ts";

const expected = { username: "admin@rec", password: "päss:word" };
const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

const cases: readonly (readonly [rule: string, header: string | undefined, allowed: boolean])[] = [
  ["the right pair", basic("admin@rec:päss:word"), true],
  ["the scheme in any case", basic("admin@rec:päss:word").replace("Basic", "bAsIc"), true],
  ["no header", undefined, false],
  ["another scheme", "Bearer abc", false],
  ["nothing in it", basic(":"), false],
  ["another user", basic("admin@re:päss:word"), false],
  ["a password that only begins right", basic("admin@rec:päss:wor"), false],
  ["a password that goes on", basic("admin@rec:päss:word "), false],
  ["more than any credentials need", basic("a".repeat(2_000)), false],
  ["what is no base64", "Basic !!!", false],
];

for (const [rule, header, allowed] of cases) {
  test(`credentials: ${rule} ${allowed ? "is let in" : "is turned away"}`, () => {
    assert.equal(isAuthorized(header, expected), allowed);
  });
}
