import assert from "node:assert/strict";
import { test } from "node:test";
import { WEBHOOK_NAME } from "../../api/names.ts";
import { webhookConfiguration } from "../../releases/bundle/admission.ts";
import { rightCall, webhookEntry } from "./webhook-entry.ts";

const rest = { admissionReviewVersions: ["v1"], sideEffects: "None" };

test("the entry of the bundle calls the operator, and refuses what is not judged", () => {
  const { entry, namespace, calls, isRefusing } = webhookEntry(webhookConfiguration("shop", ["shop"]));
  assert.deepEqual([entry, namespace, isRefusing], [WEBHOOK_NAME, "shop", true]);
  assert.equal(calls, rightCall("shop"));
  assert.equal(calls, "https://admission.shop.svc:443/admission");
});

for (const [rule, webhooks, calls, isRefusing] of [
  ["nothing is called by a configuration without entries", [], "", true],
  [
    "a Service has a port and a path of its own",
    [{ name: "a.b.c", clientConfig: { service: { name: "s", namespace: "n" } }, ...rest }],
    "https://s.n.svc:443/",
    true,
  ],
  ["an address may be called", [{ name: "a.b.c", clientConfig: { url: "https://x/y" }, ...rest }], "https://x/y", true],
  [
    "the entry of the name that is ours counts before others",
    [
      { name: "a.b.c", clientConfig: { url: "https://x/y" }, ...rest },
      { name: WEBHOOK_NAME, clientConfig: { url: "https://z/" }, failurePolicy: "Ignore", ...rest },
    ],
    "https://z/",
    false,
  ],
] as const)
  test(`what a webhook configuration calls: ${rule}`, () => {
    const found = webhookEntry({ webhooks: webhooks.map((one) => ({ ...one, admissionReviewVersions: ["v1"] })) });
    assert.deepEqual([found.calls, found.isRefusing], [calls, isRefusing]);
  });
