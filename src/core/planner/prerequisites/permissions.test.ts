import assert from "node:assert/strict";
import { test } from "node:test";
import { asking, clusterView, NEW } from "../../../../test/kit/facts/cluster-view.ts";
import { clusterNeeds, operatorNeeds, type MissingPermission } from "../../releases/permissions/roles.ts";
import { findingBehind } from "../findings/step.ts";
import { planCluster } from "../cluster/plan.ts";
import { targetTag } from "../view/target.ts";
import type { ClusterView } from "../view/cluster-view.ts";

const upgrading = { release: NEW, spec: asking(NEW.nodeTag) } as const;
const all = operatorNeeds().map((need) => ({ ...need, namespace: "here", role: "store-enterprise-operator" }));
const own = all.filter(({ resource, verb }) => resource === "statefulsets" && verb !== "get" && verb !== "list");
const nodes = clusterNeeds("node", { name: "rec", nodes: 3 })
  .filter(({ name }) => name === "rec-node-2")
  .map((need) => ({ ...need, namespace: "here", role: "rec" }));

const cases: readonly {
  readonly name: string;
  readonly view: Partial<ClusterView>;
  readonly missing: readonly MissingPermission[];
  readonly want: readonly [state: string, step: string, severity: string | undefined, ownsObjects: boolean];
}[] = [
  { name: "nothing is missing", view: {}, missing: [], want: ["Running", "rest", undefined, true] },
  {
    name: "what the operator lacks leaves a cluster at rest Running, and nothing is written",
    view: {},
    missing: own,
    want: ["Running", "rest", "block", false],
  },
  {
    name: "what the operator lacks makes a wanted upgrade InvalidUpgrade before it begins",
    view: upgrading,
    missing: own,
    want: ["InvalidUpgrade", "rest", "block", false],
  },
  {
    name: "what nodes lack is given back, and no node is touched before",
    view: upgrading,
    missing: nodes,
    want: ["Upgrade", "wait", "wait", true],
  },
  {
    name: "what nodes lack is said of a cluster at rest too",
    view: {},
    missing: nodes,
    want: ["Running", "wait", "wait", true],
  },
];

for (const { name, view: change, missing, want } of cases) {
  test(`permissions: ${name}`, () => {
    const view = clusterView(change);
    const environment = { permissions: { read: true, value: missing } } as const;
    const { state, step, findings, ownsObjects } = planCluster(view, `template of ${targetTag(view)}`, environment);
    const found = findings.find(({ id }) => id === "PermissionsMissing");
    assert.deepEqual([state, step.kind, found?.severity, ownsObjects], want);
  });
}

test("permissions: a missing permission is named with verbs, resource, namespace, consequence and the exact command", () => {
  const environment = { permissions: { read: true, value: own } } as const;
  const [finding] = planCluster(clusterView(), "", environment).findings;
  assert.equal(
    finding?.evidence,
    "the operator may not watch/create/patch/delete statefulsets.apps in namespace here (Role store-enterprise-operator), " +
      "so nodes cannot be created, replaced or removed",
  );
  const rule = '{"apiGroups":["apps"],"resources":["statefulsets"],"verbs":["watch","create","patch","delete"]}';
  assert.equal(
    finding?.remedy,
    "kubectl patch role store-enterprise-operator -n here --type json -p " +
      `'[{"op":"add","path":"/rules/-","value":${rule}}]'`,
  );
});

test("permissions: when all is gone the bundle is named, and the sentence still fits into an event", () => {
  const environment = { permissions: { read: true, value: all } } as const;
  const [finding] = planCluster(clusterView({ release: NEW }), "", environment).findings;
  assert.match(finding?.remedy ?? "", /bundle of release 8\.2\.0-12 again: kubectl apply -n here -f bundle\.yaml/);
  assert.match(finding?.evidence ?? "", / and \d+ more in namespace here/);
  assert.ok(`${finding?.evidence} ${finding?.remedy}`.length < 1_000);
});

const unread = { permissions: { read: false, why: "no answer" } } as const;

test("permissions: what could not be reviewed stops nothing that has begun", () => {
  const view = clusterView();
  const { findings, step, ownsObjects } = planCluster(view, `template of ${targetTag(view)}`, unread);
  assert.deepEqual([findings, step.kind, ownsObjects], [[], "rest", true]);
});

for (const [what, change, around, waits] of [
  ["the version of Kubernetes", { kubernetesMinor: undefined }, {}, "KubernetesVersion"],
  ["the webhook", {}, { webhook: { read: false, why: "no answer" } }, "WebhookStale"],
  ["a webhook that it is left to others to look at", {}, { webhook: { read: false, why: "no", isOptional: true } }, ""],
] as const) {
  test(`a roll that has not begun, where ${what} cannot be read, waits for ${waits || "nothing"}`, () => {
    const view = clusterView({ ...upgrading, ...change });
    const { step, ownsObjects, state } = planCluster(view, `template of ${targetTag(view)}`, around);
    assert.deepEqual([findingBehind(step)?.id ?? "", ownsObjects, state], [waits, waits === "", "Upgrade"]);
    if (step.kind === "wait") assert.match(step.wait.evidence, /^it is not known whether /);
  });
}

test("a roll that has begun waits for no fact that cannot be read", () => {
  const view = clusterView({ ...upgrading, kubernetesMinor: undefined });
  const rolled = { ...view, workload: view.workload && { ...view.workload, nodeTag: targetTag(view) } };
  assert.equal(planCluster(rolled, `template of ${targetTag(view)}`).ownsObjects, true);
});

for (const [what, change] of [
  ["nodes are made", { workload: undefined, pods: [] }],
  ["a roll begins", upgrading],
] as const) {
  test(`permissions: before ${what} they are known`, () => {
    const view = clusterView(change);
    const wanted = `template of ${targetTag(view)}`;
    const { step, ownsObjects } = planCluster(view, wanted, unread);
    assert.deepEqual(
      [step.kind, step.kind === "wait" && step.wait.id, ownsObjects],
      ["wait", "PermissionsUnknown", false],
    );
    assert.equal(planCluster(view, wanted, { permissions: { read: true, value: [] } }).ownsObjects, true);
  });
}
