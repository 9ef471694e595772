import assert from "node:assert/strict";
import { test } from "node:test";
import { ASTRAY, CLOSED, OPEN } from "../../../../test/kit/facts/admission-routes.ts";
import { KINDS } from "../../api/kinds.ts";
import { leftToUsers, planWebhook, webhookFacts, type WebhookAct, type WebhookView } from "./webhook.ts";

const own = {
  name: "store-enterprise-admission",
  entry: "storeenterprise.admission.storeenterprise",
  namespace: "default",
  calls: "https://admission.default.svc:443/admission",
  isRefusing: true,
  asks: Object.values(KINDS).map(({ plural }) => plural),
  trusted: ["CA"],
  judged: ["default"],
  guarded: ["CA"],
};
const old = { ...own, name: "redb-admission" };

interface Case {
  readonly rule: string;
  readonly view: Partial<WebhookView>;
  readonly act?: WebhookAct | WebhookAct["kind"];
  readonly says: readonly [status: string, reason: string, message: RegExp];
}

const cases: readonly Case[] = [
  { rule: "a webhook that is current is left alone", view: {}, says: ["True", "Current", /current/] },
  {
    rule: "an operator that may not read webhooks says which commands are left",
    view: { installed: undefined },
    says: ["Unknown", "NotReadable", /docs\/admission\.md.*kubectl patch .*\.data\.cert.*cluster-role\.yaml/],
  },
  {
    rule: "definitions are guarded too, and nothing is stale while they are not",
    view: { installed: [{ ...own, guarded: undefined }] },
    act: { kind: "guard", certificates: ["CA"] },
    says: ["True", "Current", /current/],
  },
  {
    rule: "the guard of definitions trusts what the webhook trusts",
    view: { installed: [{ ...own, guarded: ["older"] }] },
    act: { kind: "guard", certificates: ["CA"] },
    says: ["True", "Current", /current/],
  },
  {
    rule: "namespaces that the operator has begun to manage are validated too",
    view: { watched: ["default", "team-a"] },
    act: "watch",
    says: ["False", "NamespacesStale", /in default, and is being changed to default, team-a/],
  },
  {
    rule: "namespaces that a user chose by other means are left to the user",
    view: { watched: ["default", "team-a"], installed: [{ ...own, judged: undefined }] },
    says: ["True", "Current", /current/],
  },
  {
    rule: "the name of old releases goes first",
    view: { installed: [old, own] },
    act: "delete-old",
    says: ["False", "OldWebhook", /kubectl delete ValidatingWebhookConfiguration redb-admission/],
  },
  {
    rule: "a configuration that calls nothing yet is filled in",
    view: { installed: [{ ...own, namespace: "", calls: "", trusted: [], judged: undefined, guarded: undefined }] },
    act: "install",
    says: ["False", "NotInstalled", /filled in/],
  },
  {
    rule: "one that is missing is left to the user, since what is created cannot be limited to a name",
    view: { installed: [] },
    says: [
      "False",
      "NotInstalled",
      /remedy: .*: sed 's\/OPERATOR_NAMESPACE\/default\/g' deploy\/admission\/cluster-role\.yaml \| kubectl apply -f -$/,
    ],
  },
  {
    rule: "no webhook is filled in without an operator to answer it",
    view: { installed: [], route: CLOSED },
    says: ["False", "NoEndpoints", /service admission: the webhook is not filled in before there is one; remedy: /],
  },
  {
    rule: "nor where the Service leads elsewhere, and the line that leads it back is there",
    view: { installed: [{ ...own, namespace: "", calls: "" }], route: ASTRAY },
    says: [
      "False",
      "NoEndpoints",
      /leads port 443 to 9999.* is not filled in .*; remedy: .*: kubectl patch svc admission /,
    ],
  },
  {
    rule: "one that is filled in refuses writes of users while its Service leads elsewhere",
    view: { route: ASTRAY },
    says: [
      "False",
      "NoEndpoints",
      /leads port 443 to 9999.*: writes of users are refused; remedy: .*kubectl patch svc admission /,
    ],
  },
  {
    rule: "nothing is filled in without a certificate",
    view: { installed: [], certificate: undefined },
    says: ["False", "NoCertificate", /admission-tls/],
  },
  {
    rule: "one that calls another port is led to the operator",
    view: { installed: [{ ...own, calls: "https://admission.default.svc:444/admission" }] },
    act: "lead",
    says: [
      "False",
      "CallsElsewhere",
      /svc:444\/admission, where .*svc:443\/admission: writes of users are refused, .*; remedy: kubectl patch Validating/,
    ],
  },
  {
    rule: "so is one that calls an address, though it refuses nothing",
    view: { installed: [{ ...own, namespace: "", calls: "https://example.com/", isRefusing: false }] },
    act: "lead",
    says: [
      "False",
      "CallsElsewhere",
      /calls https:\/\/example\.com\/, .*: writes of users are not judged, and it is being led/,
    ],
  },
  {
    rule: "a new certificate is trusted beside the old one",
    view: { certificate: "new" },
    act: { kind: "trust", certificates: ["CA", "new"] },
    says: ["False", "CertificateStale", /"name":"storeenterprise\.admission\.storeenterprise"/],
  },
  {
    rule: "both certificates are trusted until every replica has the new one",
    view: { certificate: "new", installed: [{ ...own, trusted: ["CA", "new"] }], trustedForMs: 9_999 },
    says: ["True", "CertificateChanging", /beside the new one/],
  },
  {
    rule: "the old certificate is no longer trusted once every replica has the new one",
    view: { certificate: "new", installed: [{ ...own, trusted: ["CA", "new"] }], trustedForMs: 10_000 },
    act: { kind: "trust", certificates: ["new"] },
    says: ["True", "CertificateChanging", /beside the new one/],
  },
  {
    rule: "two changes in a row do not pile up",
    view: { certificate: "newer", installed: [{ ...own, trusted: ["CA", "new"] }] },
    act: { kind: "trust", certificates: ["new", "newer"] },
    says: ["False", "CertificateStale", /is being set/],
  },
  {
    rule: "the webhook of another operator is not touched",
    view: { installed: [{ ...own, namespace: "other" }] },
    says: ["False", "OtherOperator", /namespace other/],
  },
  {
    rule: "one that does not ask about a kind, as that of an older release, is changed",
    view: { installed: [{ ...own, asks: ["storeenterpriseclusters"] }] },
    act: "ask",
    says: [
      "False",
      "KindsMissing",
      /not ask about storeenterprisedatabases, .*; remedy: kubectl patch Validating.*"rules":/,
    ],
  },
  {
    rule: "two webhooks that call the same operator are reported",
    view: { installed: [own, { ...own, name: "store-enterprise-admission-default" }] },
    says: ["False", "Doubled", /kubectl delete ValidatingWebhookConfiguration store-enterprise-admission-default/],
  },
];

for (const { rule, view, act, says } of cases) {
  test(`webhook: ${rule}`, () => {
    const usual = {
      namespace: "default",
      watched: ["default"],
      certificate: "CA",
      trustedForMs: 0,
      route: OPEN,
      installed: [own],
    };
    const decision = planWebhook({ ...usual, ...view });
    const { status, reason, message } = decision.statement;
    const { step } = decision;
    // what is neither at rest nor acted on is waited for
    const still = says[1] === "Current" ? "rest" : "wait";
    const expected = typeof act === "string" ? { kind: act } : (act ?? still);
    assert.deepEqual([step.kind === "act" ? step.act : step.kind, status, reason], [expected, says[0], says[1]]);
    assert.match(message, says[2]);
  });
}

for (const [rule, route, seen] of [
  ["a replica that runs answers before it is behind the Service", CLOSED, OPEN],
  ["it does not where the Service leads elsewhere", ASTRAY, ASTRAY],
] as const)
  test(`webhook: of what upgrades are judged by, ${rule}`, () => {
    const facts = webhookFacts([own, { ...own, name: "other", namespace: "other" }], {
      certificate: "CA",
      route,
      namespace: "default",
    });
    const { name, entry, calls, isRefusing } = own;
    const configurations = [{ name, entry, calls, isRefusing, caBundle: "CA" }];
    assert.deepEqual(facts, {
      read: true,
      value: { namespace: "default", configurations, certificate: "CA", route: seen },
    });
  });

test("webhook: an act that the operator may not do comes with both ways", () => {
  const statement = {
    type: "AdmissionReady",
    status: "False",
    reason: "CertificateStale",
    message: "a; remedy: b",
  } as const;
  assert.equal(
    leftToUsers(statement, "shop").message,
    "a, but the operator may not; remedy: b; to let the operator do it: " +
      "sed 's/OPERATOR_NAMESPACE/shop/g' deploy/admission/cluster-role.yaml | kubectl apply -f -",
  );
  assert.deepEqual(leftToUsers({ ...statement, status: "True" }, "shop"), { ...statement, status: "True" });
});
