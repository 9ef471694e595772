import assert from "node:assert/strict";
import { test } from "node:test";
import { volume } from "../../../../test/kit/facts/cluster-view.ts";
import { startOperatorWorld } from "../../../../test/kit/operator/operator-world.ts";
import { KINDS } from "../../../core/api/kinds.ts";
import { LABELS } from "../../../core/api/names.ts";
import { Fault } from "#kit/base/fault";
import { faults } from "#kit/kube/faults";
import type { Kube } from "#kit/kube/kube";
import {
  Deployments,
  NetworkPolicies,
  Nodes,
  PersistentVolumeClaims,
  Pods,
  Secrets,
  ValidatingWebhookConfigurations,
} from "#kit/kube/builtin";
import { systemClock } from "#kit/reconcile/system-clock";
import type { ClusterEnvironment } from "../../../core/planner/prerequisites/environment.ts";
import { Databases } from "../kubernetes/kinds.ts";
import { readEnvironment } from "./environment.ts";

const PLACE = { name: "rec", namespace: "default" };
const NODE_LABELS = { app: "store-enterprise", [LABELS.cluster]: "rec", [LABELS.role]: "node" };

test("the environment of a cluster is read from the API", async () => {
  await using world = await startOperatorWorld();
  await furnish(world.kube);
  const environment = await readEnvironment({ kube: world.kube, clock: systemClock }, PLACE);
  assert.deepEqual(environment.workers, {
    read: true,
    value: [
      {
        name: "w1",
        ready: false,
        cordoned: true,
        labels: { disk: "fast" },
        taints: [{ key: "gpu", value: "yes" }],
        spreads: true,
        pods: ["rec-0"],
      },
    ],
  });
  assert.deepEqual(environment.volumes, {
    read: true,
    value: [volume({ name: "data-rec-0", phase: "Pending", requested: "1Gi", capacity: "" })],
  });
  assert.deepEqual(environment.networkPolicies, {
    read: true,
    value: [
      { policy: "open", ports: undefined },
      {
        policy: "strict",
        ports: [
          { first: 9443, last: 9443 },
          { first: 3346, last: 3355 },
        ],
      },
    ],
  });
  assert.deepEqual(environment.webhook, {
    read: true,
    value: {
      namespace: "default",
      configurations: [
        {
          name: "redb-admission",
          entry: "old.example.com",
          caBundle: "CA",
          calls: "https://admission.elsewhere.svc:443/",
          isRefusing: true,
        },
      ],
      certificate: "CA",
      route: { endpoints: 0, closed: "service admission is not there", lacks: "service" },
    },
  });
  assertRest(environment);
});

test("a part that the caller may not read says why, and the others are read all the same", async () => {
  await using world = await startOperatorWorld();
  const refusing: Kube = {
    ...world.kube,
    list: async (type, options) => {
      if (type.plural === "nodes") throw new Fault(faults.forbidden, "nodes are forbidden");
      return world.kube.list(type, options);
    },
  };
  const environment = await readEnvironment({ kube: refusing, clock: systemClock }, PLACE);
  assert.deepEqual(environment.workers, { read: false, why: "nodes are forbidden" });
  assert.deepEqual(environment.volumes, { read: true, value: [] });
});

async function furnish(kube: Kube): Promise<void> {
  const meta = (name: string, labels: Record<string, string> = {}) => ({ name, namespace: "default", labels });
  const container = { name: "c", image: "i" };
  await kube.create(Nodes, {
    metadata: { name: "w1", labels: { disk: "fast" } },
    spec: {
      unschedulable: true,
      taints: [
        { key: "gpu", value: "yes", effect: "NoSchedule" },
        { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" },
      ],
    },
  });
  await kube.create(Pods, {
    metadata: meta("rec-0", NODE_LABELS),
    spec: { nodeName: "w1", containers: [container] },
  });
  await kube.create(PersistentVolumeClaims, {
    metadata: meta("data-rec-0", NODE_LABELS),
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await kube.create(NetworkPolicies, { metadata: meta("open"), spec: { podSelector: {}, ingress: [{}] } });
  await kube.create(NetworkPolicies, {
    metadata: meta("other"),
    spec: { podSelector: { matchLabels: { app: "other" } } },
  });
  await kube.create(NetworkPolicies, {
    metadata: meta("strict"),
    spec: {
      podSelector: { matchLabels: NODE_LABELS },
      ingress: [{ ports: [{ port: "api" }, { port: 3346, endPort: 3355 }] }],
    },
  });
  await kube.create(Secrets, { metadata: meta("admission-tls"), data: { cert: "Q0E=" } });
  const rule = { apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["things"] };
  await kube.create(ValidatingWebhookConfigurations, {
    metadata: { name: "redb-admission" },
    webhooks: [
      {
        name: "old.example.com",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        clientConfig: { caBundle: "Q0E=", service: { name: "admission", namespace: "elsewhere" } },
        rules: [rule],
      },
    ],
  });
  const selector = { app: "operator" };
  await kube.create(Deployments, {
    metadata: meta("store-enterprise-operator"),
    spec: {
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: selector },
        spec: { containers: [{ name: "store-enterprise-operator", image: "x/operator:8.2.0-12" }] },
      },
    },
  });
  await kube.create(Databases, { metadata: meta("orders"), spec: { storeVersion: "8.0" } });
}

function assertRest(environment: ClusterEnvironment): void {
  assert.deepEqual(environment.operator, { read: true, value: { image: "x/operator:8.2.0-12", ready: 0, wanted: 1 } });
  assert.deepEqual(environment.desiredDatabases, {
    read: true,
    value: [{ name: "orders", storeVersion: "8.0", objection: "" }],
  });
  assert.deepEqual(environment.constraint, { read: true, value: undefined });
  assert.ok(environment.definitions?.read);
  assert.equal(environment.definitions.value.length, Object.keys(KINDS).length);
  for (const { served, stored } of environment.definitions.value) assert.deepEqual([served, stored], [["v1"], ["v1"]]);
}
