import assert from "node:assert/strict";
import { test } from "node:test";
import { isOnlyRefusals, isWholeRefusal } from "./refusals.ts";

const READONLY = "-READONLY You can't write against a read only replica.";
const PLACE = " script: d3c21d0c2b9ca22f82737626a27bcaf5d288f99f, on @user_script:1.";

const cases: readonly {
  readonly rule: string;
  readonly text: string;
  readonly whole: boolean;
  readonly only: boolean;
}[] = [
  { rule: "a refusal in the engine's words", text: `${READONLY}\r\n`, whole: true, only: true },
  { rule: "a refusal inside a script", text: `${READONLY}${PLACE}\r\n`, whole: true, only: true },
  {
    rule: "the answer of an engine that runs a script",
    text: "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n",
    whole: true,
    only: true,
  },
  { rule: "a refusal that goes on", text: `${READONLY} data\r\n`, whole: false, only: true },
  { rule: "an error that begins like one", text: "-ERR syntax error data\r\n", whole: false, only: true },
  { rule: "two refusals", text: `${READONLY}\r\n${READONLY}\r\n`, whole: false, only: true },
  { rule: "an error about data", text: "-WRONGTYPE Operation against a key\r\n", whole: false, only: false },
  { rule: "a value", text: "+OK\r\n", whole: false, only: false },
];

for (const { rule, text, whole, only } of cases)
  test(`what passes without a wait: ${rule}`, () => {
    const bytes = Buffer.from(text, "latin1");
    assert.deepEqual([isWholeRefusal(bytes), isOnlyRefusals(bytes)], [whole, only]);
  });
