import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView, release } from "../../../../test/kit/facts/cluster-view.ts";
import { ASTRAY, CLOSED, OPEN } from "../../../../test/kit/facts/admission-routes.ts";
import { type CheckCase, read, testChecks } from "../../../../test/kit/facts/checked-cluster.ts";
import { typedLines } from "../../../../test/kit/frozen/typed-lines.ts";
import { leadToOperator } from "../../api/kubectl.ts";
import { checkInput } from "./check-input.ts";
import { webhookIsCurrent } from "./installed.ts";

const own = {
  name: "store-enterprise-admission",
  entry: "storeenterprise.admission.storeenterprise",
  caBundle: "CA",
  calls: "https://admission.default.svc:443/admission",
  isRefusing: true,
};
const hook = {
  namespace: "default",
  configurations: [own],
  certificate: "CA",
  route: OPEN,
};
const definition = {
  name: "storeenterpriseclusters",
  release: "8.2.0-12",
  served: ["v1"],
  stored: ["v1"],
  keepsUnknownFields: false,
};

const cases: readonly CheckCase[] = [
  {
    name: "the constraint of old releases is reported once nothing needs it any more",
    environment: { constraint: read({ accounts: [], others: [], bindings: [] }) },
    found: "warn ConstraintLeftOver",
    evidence: /^store-enterprise-scc-v2 is there, /,
  },
  {
    name: "the constraint is bound to an account of the cluster, beside others",
    environment: {
      constraint: read({ accounts: ["system:serviceaccount:default:rec"], others: ["x"], bindings: ["y"] }),
    },
    found: "warn ConstraintLeftOver",
    evidence: /^store-enterprise-scc-v2 is bound to system:serviceaccount:default:rec and RoleBinding y, /,
  },
  {
    name: "a constraint that only other namespaces use is left to them",
    environment: { constraint: read({ accounts: [], others: ["system:serviceaccount:other:rec"], bindings: [] }) },
  },
  { name: "no constraint is no trouble", environment: { constraint: read(undefined) } },
  {
    name: "the constraint is needed by a privileged release",
    view: {
      release: release("7.8.6-1"),
      kubernetesMinor: "1.31",
      workload: undefined,
      pods: [],
      remembered: { state: "Running" },
    },
    environment: { constraint: read({ accounts: [], others: [], bindings: [] }) },
  },
  {
    name: "a definition that no longer serves what is stored blocks",
    environment: { definitions: read([{ ...definition, stored: ["v1alpha1", "v1"] }]) },
    found: "block DefinitionWrong",
    evidence: /stored as v1alpha1/,
  },
  {
    name: "a definition of an older release than the operator's blocks",
    environment: { definitions: read([{ ...definition, release: "7.4.2-2" }]) },
    found: "block DefinitionWrong",
    evidence: /is of 7\.4\.2-2, older than operator /,
  },
  {
    name: "a definition that is not there is said to be no more than that",
    environment: { definitions: read([{ ...definition, release: undefined, served: [], stored: [] }]) },
    found: "block DefinitionWrong",
    evidence: /^storeenterpriseclusters does not serve v1$/,
  },
  { name: "current definitions pass", environment: { definitions: read([definition]) } },
  { name: "no webhook is no trouble", environment: { webhook: read({ ...hook, configurations: [] }) } },
  { name: "a current webhook passes", environment: { webhook: read(hook) } },
  {
    name: "the webhook of old releases blocks",
    environment: { webhook: read({ ...hook, configurations: [{ ...own, name: "redb-admission" }] }) },
    found: "block WebhookStale",
  },
  {
    name: "a webhook with another certificate than the secret's blocks",
    environment: { webhook: read({ ...hook, certificate: "new" }) },
    found: "block WebhookStale",
    evidence: /caBundle does not hold/,
  },
  {
    name: "a webhook that trusts the old certificate too, while it rotates, passes",
    environment: {
      webhook: read({ ...hook, configurations: [{ ...own, caBundle: "old CA" }] }),
    },
  },
  {
    name: "a webhook that calls another path blocks",
    environment: {
      webhook: read({ ...hook, configurations: [{ ...own, calls: "https://admission.default.svc:443/" }] }),
    },
    found: "block WebhookStale",
    evidence:
      /calls https:\/\/admission\.default\.svc:443\/, where the operator answers at .*: writes of users are refused$/,
  },
  {
    name: "a webhook that refuses nothing while it gets no answer blocks nothing",
    environment: { webhook: read({ ...hook, configurations: [{ ...own, isRefusing: false }], route: CLOSED }) },
    found: "warn WebhookStale",
    evidence: /: writes of users are not judged$/,
  },
  {
    name: "a webhook that gets no answer blocks",
    environment: { webhook: read({ ...hook, route: CLOSED }) },
    found: "block WebhookStale",
  },
];

testChecks(cases);

test("the webhook of a Service that leads elsewhere blocks with what the Service has, and the line that leads it back", () => {
  const environment = { webhook: read({ ...hook, route: ASTRAY }) };
  const finding = webhookIsCurrent.find(checkInput(clusterView(), { environment }));
  assert.equal(
    finding?.evidence,
    "service admission leads port 443 to 9999, where the operator answers at 8443: writes of users are refused",
  );
  assert.deepEqual(typedLines(finding.remedy), [leadToOperator("admission")]);
});
