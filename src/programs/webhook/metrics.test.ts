import assert from "node:assert/strict";
import { test } from "node:test";
import { startWebhookMetrics } from "./metrics.ts";

test("reviews about kinds that are not there share one series", () => {
  const metrics = startWebhookMetrics();
  for (let i = 0; i < 1_000; i++) metrics.count(`made-up-${i}`, "allowed", 1);
  metrics.count("__proto__", "allowed", 1);
  metrics.count("StoreEnterpriseDatabase", "denied", 1);
  const series = metrics.text().match(/^store_webhook_reviews_total.*$/gm);
  assert.deepEqual(series, [
    'store_webhook_reviews_total{kind="other",outcome="allowed"} 1001',
    'store_webhook_reviews_total{kind="StoreEnterpriseDatabase",outcome="denied"} 1',
  ]);
});
