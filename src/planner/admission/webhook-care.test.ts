import assert from "node:assert/strict";
import { test } from "node:test";
import { careForWebhook, type WebhookAct, type WebhookView } from "./webhook-care.ts";

const own = { name: "store-enterprise-admission", namespace: "default", caBundle: "Q0E=" };
const old = { ...own, name: "redb-admission" };

interface Case {
  readonly rule: string;
  readonly view: Partial<WebhookView>;
  readonly act?: WebhookAct;
  readonly says: readonly [status: string, reason: string, message: RegExp];
}

const cases: readonly Case[] = [
  { rule: "one that is current is left alone", view: {}, says: ["True", "Current", /current/] },
  {
    rule: "an operator that may not look says which commands are left",
    view: { installed: undefined },
    says: ["Unknown", "NotReadable", /docs\/admission\.md.*kubectl patch .*\.data\.cert.*cluster-role\.yaml/],
  },
  {
    rule: "the name of old releases goes first",
    view: { installed: [old, own] },
    act: "delete-old",
    says: ["False", "OldWebhook", /kubectl delete ValidatingWebhookConfiguration redb-admission/],
  },
  {
    rule: "what is missing is created",
    view: { installed: [] },
    act: "create",
    says: ["False", "NotInstalled", /created/],
  },
  {
    rule: "nothing is created that nobody would answer",
    view: { installed: [], endpoints: 0 },
    says: ["False", "NoEndpoints", /service admission/],
  },
  {
    rule: "nothing is created without a certificate",
    view: { installed: [], certificate: undefined },
    says: ["False", "NoCertificate", /admission-tls/],
  },
  {
    rule: "a stale certificate is replaced",
    view: { certificate: "bmV3" },
    act: "patch-certificate",
    says: ["False", "CertificateStale", /"name":"storeenterprise\.admission\.storeenterprise"/],
  },
  {
    rule: "the webhook of another operator is not touched",
    view: { installed: [{ ...own, namespace: "other", caBundle: "b3RoZXI=" }] },
    says: ["False", "OtherOperator", /namespace other/],
  },
  {
    rule: "two that call the same operator are told",
    view: { installed: [own, { ...own, name: "store-enterprise-admission-default" }] },
    says: ["False", "Doubled", /kubectl delete ValidatingWebhookConfiguration store-enterprise-admission-default/],
  },
];

for (const { rule, view, act = "none", says } of cases) {
  test(`webhook: ${rule}`, () => {
    const decision = careForWebhook({
      namespace: "default",
      certificate: "Q0E=",
      endpoints: 1,
      installed: [own],
      ...view,
    });
    const { status, reason, message } = decision.statement;
    assert.deepEqual([decision.act, status, reason], [act, says[0], says[1]]);
    assert.match(message, says[2]);
  });
}
