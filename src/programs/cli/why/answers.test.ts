import assert from "node:assert/strict";
import { test } from "node:test";
import { read } from "../../../../test/kit/facts/checked-cluster.ts";
import { clusterView, NEW } from "../../../../test/kit/facts/cluster-view.ts";
import type { StoreEnterpriseCluster, StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import { applyBundle, patchClusterTag } from "../../../core/api/kubectl.ts";
import type { Condition, Finding } from "../../../core/api/parts.ts";
import { restoringPatch } from "../../../core/releases/permissions/restore.ts";
import { operatorNeeds } from "../../../core/releases/permissions/roles.ts";
import type { Stored } from "#kit/kube/kube";
import type { WhyAnswer } from "./answer.ts";
import { answersFor, type WhyInput } from "./answers.ts";

const SINCE = "2026-01-01T00:00:00Z";

function condition(type: string, status: Condition["status"], reason: string, message: string): Condition {
  return { type, status, reason, message, lastTransitionTime: SINCE };
}

function rec(status: StoreEnterpriseCluster["status"] = {}): Stored<StoreEnterpriseCluster> {
  return {
    apiVersion: "app.storeenterprise.io/v1",
    kind: "StoreEnterpriseCluster",
    metadata: { name: "rec", namespace: "default", uid: "1", resourceVersion: "1", generation: 2 },
    spec: {},
    status: { observedGeneration: 2, ...status },
  };
}

function redb(
  conditions: Condition[],
  observedGeneration = 1,
  findings: Finding[] = [],
): Stored<StoreEnterpriseDatabase> {
  return {
    apiVersion: "app.storeenterprise.io/v1",
    kind: "StoreEnterpriseDatabase",
    metadata: { name: "orders", namespace: "default", uid: "2", resourceVersion: "1", generation: 1 },
    spec: {},
    status: { observedGeneration, conditions, findings },
  };
}

function asked(status: StoreEnterpriseCluster["status"], more: Partial<WhyInput> = {}): WhyInput {
  return {
    view: clusterView(),
    environment: {},
    cluster: { rec: rec(status), environment: {}, lacksFacts: false },
    databases: [],
    backups: [],
    events: [],
    ...more,
  };
}

interface Case {
  readonly name: string;
  readonly of: WhyInput;
  readonly answers: readonly Partial<WhyAnswer>[];
}

function gone<T extends Stored<StoreEnterpriseCluster | StoreEnterpriseDatabase>>(object: T): T {
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: SINCE } };
}

const [need] = operatorNeeds();
assert.ok(need);
const lackedByOperator = { ...need, namespace: "default", role: "store-enterprise-operator" };

const blocked = condition("UpgradeBlocked", "True", "LicenseInvalid", "it ended; remedy: renew it");

const OLD_DEFINITIONS = {
  definitions: {
    read: true,
    value: [
      {
        name: "storeenterpriseclusters.app.storeenterprise.io",
        release: "8.0.6-8",
        served: ["v1"],
        stored: ["v1"],
        keepsUnknownFields: false,
      },
    ],
  },
} as const;

const TAGGED = patchClusterTag("rec", clusterView().release.nodeTag);

const cases: readonly Case[] = [
  {
    name: "nothing is wrong, nothing is answered",
    of: asked({ conditions: [condition("Available", "True", "AllNodesActive", "3 of 3")] }),
    answers: [],
  },
  {
    name: "a finding is printed with rule, evidence, since when and remedy, once",
    of: asked({
      findings: [{ id: "LicenseInvalid", severity: "block", evidence: "it ended", remedy: "renew it" }],
      conditions: [blocked],
    }),
    answers: [{ object: "rec/rec", rule: "LicenseInvalid", evidence: "it ended", since: SINCE, clears: "renew it" }],
  },
  {
    name: "a condition without a finding is printed as it is, and its object is described",
    of: asked({ conditions: [blocked] }),
    answers: [{ rule: "LicenseInvalid", evidence: "it ended; remedy: renew it", clears: "kubectl describe rec/rec" }],
  },
  {
    name: "a webhook that was asked for and is not filled in is printed with its line",
    of: asked({ conditions: [condition("AdmissionReady", "False", "NoEndpoints", "no address; remedy: kubectl x")] }),
    answers: [
      {
        level: "blocks",
        object: "rec/rec",
        rule: "NoEndpoints",
        evidence: "AdmissionReady is False: no address",
        since: SINCE,
        clears: "kubectl x",
      },
    ],
  },
  {
    name: "while nodes are replaced, the roll is watched",
    of: asked({ conditions: [condition("Progressing", "True", "ReplacingPod", "1 of 3")] }),
    answers: [{ rule: "ReplacingPod", evidence: "1 of 3", clears: "kubectl rollout status sts rec" }],
  },
  {
    name: "a database that is above its spec is printed with the remedy of its finding",
    of: asked(undefined, {
      cluster: undefined,
      databases: [
        redb([condition("Drifted", "True", "UpgradedByHand", "a; remedy: b")], 1, [
          { id: "UpgradedByHand", severity: "warn", evidence: "a", remedy: "b" },
        ]),
      ],
    }),
    answers: [{ object: "redb/orders", rule: "UpgradedByHand", evidence: "a", clears: "b", since: SINCE }],
  },
  {
    name: "without a command the object is described",
    of: asked({ conditions: [condition("Available", "False", "QuorumLost", "1 of 3 nodes are active")] }),
    answers: [{ rule: "QuorumLost", clears: "kubectl describe rec/rec" }],
  },
  {
    name: "a warning is printed as one",
    of: asked({ findings: [{ id: "KnownIssues", severity: "warn", evidence: "e", remedy: "r" }] }),
    answers: [{ level: "warns", rule: "KnownIssues", evidence: "e", clears: "r" }],
  },
  {
    name: "what the caller may not ask is not known",
    of: {
      ...asked({}),
      view: clusterView({ cluster: { reachable: false, reason: "no rights", cause: "caller" } }),
      cluster: { rec: rec(), environment: {}, lacksFacts: false },
    },
    answers: [{ level: "unknown", rule: "NotLookedAt", evidence: "the cluster itself was not asked: no rights" }],
  },
  {
    name: "what a cluster and its databases wait for together is printed once",
    of: asked(
      { conditions: [condition("ReconcileSuspended", "True", "OperatorUpgraded", "the operator is newer")] },
      { databases: [redb([condition("ReconcileSuspended", "True", "OperatorUpgraded", "the operator is newer")])] },
    ),
    answers: [{ rule: "OperatorUpgraded", evidence: "the operator is newer; 1 database waits for this: redb/orders" }],
  },
  {
    name: "the command that clears a wait is said once",
    of: asked({
      conditions: [
        condition("ReconcileSuspended", "True", "OperatorUpgraded", `it is newer; upgrade the cluster: ${TAGGED}`),
      ],
    }),
    answers: [{ rule: "OperatorUpgraded", evidence: "it is newer", clears: TAGGED }],
  },
  {
    name: "of a cluster that is being deleted only its deletion is printed, with the databases that remain",
    of: asked(undefined, {
      cluster: { rec: gone(rec({ conditions: [blocked], observedGeneration: 1 })), environment: {}, lacksFacts: false },
      databases: [redb([])],
    }),
    answers: [{ rule: "DatabasesRemain", clears: "kubectl delete redb orders  # this deletes their data" }],
  },
  {
    name: "of a database that is being deleted only its deletion is printed",
    of: asked(undefined, { cluster: undefined, databases: [gone(redb([], 0))] }),
    answers: [{ object: "redb/orders", rule: "Deleting" }],
  },
  {
    name: "a listed module that is not installed stops nothing, and its warning is printed",
    of: asked({ findings: [{ id: "UserModuleInvalid", severity: "warn", evidence: "404", remedy: "edit it" }] }),
    answers: [{ object: "rec/rec", rule: "UserModuleInvalid", evidence: "404", clears: "edit it" }],
  },
  {
    name: "a cluster that is on its way somewhere is not in order",
    of: asked({ state: "Upgrade" }),
    answers: [{ rule: "Upgrade", clears: "kubectl rollout status sts rec" }],
  },
  {
    name: "a database that serves and waits for a replica is printed",
    of: asked(undefined, {
      cluster: undefined,
      databases: [redb([condition("Ready", "True", "Recovering", "the 7.2 replica on node 3 does not run")])],
    }),
    answers: [{ object: "redb/orders", rule: "Recovering", evidence: "the 7.2 replica on node 3 does not run" }],
  },
  {
    name: "an edit that the operator has not handled is printed",
    of: asked({ observedGeneration: 1 }),
    answers: [
      {
        rule: "SpecNotHandled",
        evidence: "the operator has not handled generation 2 of the spec yet, the last one was 1",
      },
    ],
  },
  {
    name: "an operator that does not run comes first, as what follows may be old",
    of: {
      ...asked({}),
      cluster: {
        lacksFacts: false,
        rec: rec({ conditions: [blocked] }),
        environment: { operator: { read: true, value: { image: "store:1", ready: 0, wanted: 1 } } },
      },
    },
    answers: [{ object: "deployment/store-enterprise-operator", rule: "OperatorNotReady" }, { rule: "LicenseInvalid" }],
  },
  {
    name: "an operator that is paused before its new image runs blocks, though one is ready",
    of: {
      ...asked({}),
      cluster: {
        lacksFacts: false,
        rec: rec(),
        environment: { operator: read({ image: "store:1", ready: 1, wanted: 1, paused: "behind" }) },
      },
    },
    answers: [
      {
        level: "blocks",
        rule: "OperatorNotReady",
        clears: "kubectl rollout resume deployment/store-enterprise-operator",
      },
    ],
  },
  {
    name: "an operator that lacks permissions is not ready for that reason, and cannot write it into the status",
    of: {
      ...asked({}),
      cluster: {
        lacksFacts: false,
        rec: rec({ conditions: [blocked] }),
        environment: {
          operator: { read: true, value: { image: "store:1", ready: 0, wanted: 1 } },
          permissions: { read: true, value: [lackedByOperator] },
        },
      },
    },
    answers: [
      { object: "rec/rec", rule: "PermissionsMissing", clears: restoringPatch([lackedByOperator]) ?? "" },
      { object: "deployment/store-enterprise-operator", rule: "OperatorNotReady" },
      { rule: "LicenseInvalid" },
    ],
  },
  {
    name: "an operator that does not run in mid-roll is no upgrade that begins",
    of: {
      ...asked({}),
      view: clusterView({ remembered: { ...clusterView().remembered, state: "Upgrade" } }),
      cluster: {
        lacksFacts: false,
        rec: rec({ state: "Upgrade" }),
        environment: { operator: { read: true, value: { image: "store:1", ready: 0, wanted: 1 } } },
      },
    },
    answers: [{ rule: "OperatorNotReady" }, { rule: "Upgrade" }],
  },
  {
    name: "a cluster that does not answer us, though its status says nothing of it",
    of: {
      ...asked({}),
      view: clusterView({ cluster: { reachable: false, reason: "no answer in time" } }),
      cluster: { rec: rec(), environment: {}, lacksFacts: false },
    },
    answers: [{ rule: "ClusterUnreachable", evidence: "no answer in time" }, { rule: "QuorumLost" }],
  },
  {
    name: "definitions that are older than the operator block, though the operator does not say so",
    of: {
      ...asked({}),
      view: clusterView({ release: NEW }),
      cluster: { rec: rec(), environment: OLD_DEFINITIONS, lacksFacts: false },
    },
    answers: [
      {
        level: "blocks",
        object: "rec/rec",
        rule: "DefinitionWrong",
        clears: applyBundle("--server-side", "its definitions"),
      },
    ],
  },
  {
    name: "checks find nothing on facts that could not be read",
    of: {
      ...asked({}),
      view: clusterView({ release: NEW }),
      cluster: { rec: rec(), environment: OLD_DEFINITIONS, lacksFacts: true },
      lack: { text: "you may not list pods", remedy: "storectl role reader" },
    },
    answers: [{ rule: "NotLookedAt" }],
  },
  {
    name: "a reason that came later than the status is as old as its event",
    of: asked(undefined, {
      cluster: undefined,
      databases: [redb([condition("Ready", "False", "RefusedByCluster", "no shards left")])],
      events: [
        {
          kind: "StoreEnterpriseDatabase",
          name: "orders",
          reason: "RefusedByCluster",
          message: "",
          since: "2026-01-01T01:00:00Z",
          last: "",
        },
      ],
    }),
    answers: [{ object: "redb/orders", rule: "RefusedByCluster", since: "2026-01-01T01:00:00Z" }],
  },
  {
    name: "an event of an earlier time that had ended does not count",
    of: asked(undefined, {
      cluster: undefined,
      databases: [redb([condition("Ready", "False", "RefusedByCluster", "no shards left")])],
      events: [
        {
          kind: "StoreEnterpriseDatabase",
          name: "orders",
          reason: "RefusedByCluster",
          message: "",
          since: "2025-12-31T00:00:00Z",
          last: "",
        },
      ],
    }),
    answers: [{ object: "redb/orders", rule: "RefusedByCluster", since: SINCE }],
  },
  {
    name: "a condition of another reason does not say since when a finding is there",
    of: asked({
      conditions: [blocked],
      findings: [
        { id: "LicenseInvalid", severity: "block", evidence: "it ended", remedy: "renew it" },
        { id: "NodeNumber", severity: "block", evidence: "4", remedy: "3" },
      ],
    }),
    answers: [
      { rule: "LicenseInvalid", since: SINCE },
      { rule: "NodeNumber", since: "" },
    ],
  },
  {
    name: "a database that is not there for want of its record has one cause",
    of: asked(undefined, {
      cluster: undefined,
      databases: [
        redb([condition("Ready", "False", "NotThere", "the cluster does not have the database")], 1, [
          { id: "RecordMissing", severity: "block", evidence: "missing", remedy: "restore it" },
        ]),
      ],
    }),
    answers: [{ object: "redb/orders", rule: "RecordMissing", clears: "restore it" }],
  },
  {
    name: "a database's edit that waits is printed when nothing else says so",
    of: asked(undefined, { cluster: undefined, databases: [redb([], 0)] }),
    answers: [{ object: "redb/orders", rule: "SpecNotHandled" }],
  },
];

for (const { name, of, answers } of cases) {
  test(`why: ${name}`, () => {
    const found = answersFor(of);
    assert.equal(found.length, answers.length, JSON.stringify(found));
    answers.forEach((expected, index) => {
      assert.deepEqual({ ...found[index], ...expected }, found[index]);
    });
  });
}
