import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView, NEW, release } from "../../../../test/kit/facts/cluster-view.ts";
import { type CheckCase, read, testChecks } from "../../../../test/kit/facts/checked-cluster.ts";
import { typedLines } from "../../../../test/kit/frozen/typed-lines.ts";
import { checkInput } from "./check-input.ts";
import { webhookIsCurrent } from "./installed.ts";

const hook = {
  configurations: [{ name: "store-enterprise-admission", caBundle: "CA" }],
  certificate: "CA",
  endpoints: 1,
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
    environment: { webhook: read({ ...hook, configurations: [{ name: "redb-admission", caBundle: "CA" }] }) },
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
      webhook: read({ ...hook, configurations: [{ name: "store-enterprise-admission", caBundle: "old CA" }] }),
    },
  },
  {
    name: "a webhook that gets no answer blocks",
    environment: { webhook: read({ ...hook, endpoints: 0 }) },
    found: "block WebhookStale",
  },
];

testChecks(cases);

for (const [rule, ready, types] of [
  [
    "is led to the operator that runs",
    1,
    `kubectl patch svc admission --type json -p '[{"op":"add","path":"/spec/selector","value":{"name":"store-enterprise-operator"}}]'`,
  ],
  ["has none behind it while the operator is away", 0, "kubectl describe deployment/store-enterprise-operator"],
] as const)
  test(`a Service of the webhook without an address ${rule}`, () => {
    const operator = read({ image: `operator:${NEW.operator}`, ready, wanted: 1 });
    const environment = { webhook: read({ ...hook, endpoints: 0 }), operator };
    const finding = webhookIsCurrent.find(checkInput(clusterView(), { environment }));
    assert.deepEqual(typedLines(finding?.remedy ?? "")[0] ?? finding?.remedy, types);
  });
