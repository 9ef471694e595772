import assert from "node:assert/strict";
import { test } from "node:test";
import type { LinkHealth } from "../../../ports/management/records.ts";
import { compareText, whyNotCompared } from "./report.ts";

const at = "2026-11-28T12:00:00.000Z";
const figures = { lag_ms: 0, unconfirmed: 0, received_bytes: 0, sent_bytes: 0 };
const up = { ...figures, state: "up", cause: "" } as const;
const difference = { key: "cart:1", here: "nothing", there: "a set of 2 elements, no time of expiry", since: at };
const health = (...sites: LinkHealth["sites"]): LinkHealth => ({
  guid: "g",
  state: "up",
  cause: "",
  awaits_sites: false,
  known_keys: 0,
  kept_bytes: 0,
  sites,
});

test("compare shows when keys were the same, how many differ, and some of them", () => {
  const agreement = { agreed_at: at, compared_at: at, cause: "", found: 4, differing: 1, differences: [difference] };
  const text = compareText(health({ ...up, id: 2, name: "west", agreement }));
  assert.match(text, /^SITE .*\nwest +2026-11-28T12:00:00.000Z +2026-11-28T12:00:00.000Z +1 +4 +-\n/);
  assert.match(text, /\ncart:1 +west +2026-11-28T12:00:00.000Z +nothing +a set of 2 elements, no time of expiry\n$/);
});

test("compare says why keys are not compared", () => {
  const none = { cause: "Its release gives no digests of keys.", found: 0, differing: 0, differences: [] };
  assert.match(compareText(health({ ...up, id: 2, name: "west", agreement: none })), /gives no digests/);
  assert.match(whyNotCompared("up", "", undefined), /older release/);
  assert.equal(whyNotCompared("down", "no answer", undefined), "no answer");
  assert.equal(whyNotCompared("up", "", { ...none, cause: "" }), "");
  assert.equal(compareText(health()), "no other site\n");
});
