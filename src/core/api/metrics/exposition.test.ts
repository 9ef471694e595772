import assert from "node:assert/strict";
import { test } from "node:test";
import { parseExposition, valueOf } from "../../../../test/kit/metrics/parse-exposition.ts";
import { Histogram } from "#kit/base/histogram";
import { REVIEW_BOUNDS } from "./bounds.ts";
import { METRICS } from "./declared.ts";
import { exposition } from "./exposition.ts";

test("a histogram is shown by its bounds, each with all values up to it", () => {
  const seconds = new Histogram(REVIEW_BOUNDS);
  for (const value of [0.001, 0.0011, 0.3]) seconds.add(value);
  seconds.add(7, 2);
  const all = parseExposition(
    exposition({ store_webhook_review_seconds: [{ labels: {}, value: seconds.distribution }] }),
  );
  const upTo = (le: string): number => valueOf(all, "store_webhook_review_seconds_bucket", { le });
  assert.deepEqual(["0.001", "0.002", "0.1", "0.5", "1", "+Inf"].map(upTo), [1, 2, 2, 3, 3, 5]);
  assert.equal(valueOf(all, "store_webhook_review_seconds_sum"), 14.3021);
});

test("labels are what they are given, whatever characters they have", () => {
  const text = exposition({ store_operator_info: [{ labels: { release: 'a"b\\c\nd' }, value: 1 }] });
  assert.match(text, /^store_operator_info\{release="a\\"b\\\\c\\nd"\} 1$/m);
  assert.equal(parseExposition(text).length, 1);
});

test("a metric without a sample is named all the same", () => {
  const text = exposition({ store_operator_passes_total: [] });
  assert.match(text, /^# HELP store_operator_passes_total .*\.\n# TYPE store_operator_passes_total counter\n$/);
});

test("names say what Prometheus expects: counters end with total, and units are base units", () => {
  const wrong = Object.entries(METRICS).filter(
    ([name, { type }]) =>
      name.endsWith("_total") !== (type === "counter") || /_(ms|milliseconds|kb|mb)(_|$)/.test(name),
  );
  assert.deepEqual(wrong, []);
});
