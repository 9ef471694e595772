import assert from "node:assert/strict";
import { test } from "node:test";
import {
  asking,
  clusterView,
  database,
  facts,
  NEW,
  node,
  OLD,
  pod,
  release,
  upgrading,
} from "../../../../test/kit/facts/cluster-view.ts";
import { type PlanCase, testPlans } from "../../../../test/kit/facts/planned-cluster.ts";
import { clusterSpec } from "../../api/cluster-spec.ts";
import { planCluster } from "./plan.ts";
import type { Workload } from "../view/cluster-view.ts";

const EXPIRED = {
  state: "Expired",
  reason: "the licence expired on 2026-01-01T00:00:00Z",
  expirationDate: "2026-01-01T00:00:00Z",
} as const;

const digest = `sha256:${"0".repeat(64)}`;
const waitingForUpgrade = { release: NEW } as const;
const auto = (more: object = {}) => clusterSpec.parse({ autoUpgradeStoreEnterprise: true, ...more });

function grown(replicas: number): Workload | undefined {
  const { workload } = clusterView();
  return workload && { ...workload, replicas };
}

const cases: readonly PlanCase[] = [
  { name: "a healthy cluster is left alone", view: {}, state: "Running", step: "rest" },
  {
    name: "nothing is there: the nodes are made",
    view: { workload: undefined, pods: [], remembered: {}, cluster: { reachable: false, reason: "no node" } },
    state: "PendingCreation",
    step: "write-workload",
  },
  {
    name: "no node is active yet",
    view: { remembered: {}, cluster: { reachable: false, reason: "no node" } },
    state: "BootstrappingFirstPod",
    step: "NodesStarting",
  },
  {
    name: "the first node is active, the others join",
    view: { remembered: {}, cluster: facts({ nodes: [node(1)] }) },
    state: "Initializing",
    step: "NodeJoining",
  },
  {
    name: "a node that is active and in sync comes into service",
    view: { remembered: {}, pods: [pod(0), pod(1), pod(2, { inService: false })] },
    state: "Initializing",
    step: "gate 2 true",
  },
  {
    name: "a new operator leaves the cluster where it is, and suspends its management (§1 rule 1)",
    view: waitingForUpgrade,
    state: "Running",
    step: "rest",
    suspended: "OperatorUpgraded",
  },
  {
    name: "an operator that is older than the cluster says so and writes nothing",
    view: { release: release("7.22.2-21") },
    state: "InvalidUpgrade",
    findings: ["OperatorDowngraded"],
    step: "rest",
    suspended: "OperatorDowngraded",
  },
  {
    name: "automatic upgrade writes the tag of the operator",
    view: { release: NEW, spec: auto({ storeEnterpriseImageSpec: { versionTag: OLD.nodeTag } }) },
    state: "Upgrade",
    step: "write-tag",
    suspended: "RollInProgress",
  },
  {
    name: "an unknown tag is InvalidUpgrade, and nothing is touched",
    view: { ...waitingForUpgrade, spec: asking("8.2.0-99.99") },
    state: "InvalidUpgrade",
    findings: ["UnknownImageTag"],
    step: "rest",
    suspended: "OperatorUpgraded",
  },
  {
    name: "the tag of another release than the operator's is InvalidUpgrade",
    view: { ...waitingForUpgrade, spec: asking(release("8.0.18-11").nodeTag) },
    state: "InvalidUpgrade",
    findings: ["ImageTagMismatch"],
    step: "rest",
    suspended: "OperatorUpgraded",
  },
  {
    name: "the tag that a node has come to is no mismatch when its pod is made from a wrong image since",
    view: {
      ...waitingForUpgrade,
      spec: asking(release("8.0.18-11").nodeTag),
      pods: [pod(0), pod(1), pod(2, { nodeTag: "nonsense", containerReady: false })],
      cluster: facts({ nodes: [node(1), node(2), node(3, { active: false, tag: release("8.0.18-11").nodeTag })] }),
    },
    state: "InvalidUpgrade",
    findings: ["UnknownRunningVersion"],
    step: "NodeJoining",
    suspended: "OperatorUpgraded",
  },
  {
    name: "a digest with automatic upgrade is InvalidUpgrade, wherever it is set (§3)",
    view: { spec: auto({ usageMeter: { callHomeClient: { imageSpec: { digestHash: digest } } } }) },
    state: "InvalidUpgrade",
    findings: ["AutoUpgradeDigestConflict"],
  },
  {
    name: "a digest with manual upgrade is fine",
    view: { spec: asking(OLD.nodeTag, { storeEnterpriseServicesRiggerImageSpec: { digestHash: digest } }) },
    state: "Running",
  },
  {
    name: "two places of the flag that differ are InvalidUpgrade",
    view: { spec: auto({ upgradeSpec: { autoUpgradeStoreEnterprise: false } }) },
    state: "InvalidUpgrade",
    findings: ["AutoUpgradeContradiction"],
  },
  {
    name: "user-defined modules need manual upgrade",
    view: { spec: auto({ userDefinedModules: [{ name: "m", source: { https: { url: "https://x/m.zip" } } }] }) },
    state: "InvalidUpgrade",
    findings: ["AutoUpgradeUserModules"],
  },
  {
    name: "modules that databases use without being listed need manual upgrade, too",
    view: {
      spec: auto(),
      cluster: facts({
        databases: [database({ modules: ["m"] })],
        modules: [{ name: "m", displayName: "M", bundled: false, compatible: "7.2", platforms: [] }],
      }),
    },
    state: "InvalidUpgrade",
    findings: ["AutoUpgradeUserModules"],
  },
  {
    name: "while a cluster does not answer, automatic upgrade does not begin: databases may use modules",
    view: { release: NEW, spec: auto(), cluster: { reachable: false, reason: "no answer in time" } },
    state: "Upgrade",
    step: "ClusterUnreachable",
    suspended: "RollInProgress",
  },
  {
    name: "an expired licence blocks the upgrade",
    view: { ...upgrading, cluster: facts({ license: EXPIRED }) },
    state: "InvalidUpgrade",
    findings: ["LicenseInvalid"],
    suspended: "OperatorUpgraded",
  },
  {
    name: "an expired licence does not disturb a cluster that is not upgraded, and is said there",
    view: { cluster: facts({ license: EXPIRED }) },
    state: "Running",
    findings: ["LicenseInvalid"],
  },
  {
    name: "a Kubernetes that one of both releases does not support blocks",
    view: { ...upgrading, kubernetesMinor: "1.31" },
    state: "InvalidUpgrade",
    findings: ["KubernetesVersionUnsupported"],
    suspended: "OperatorUpgraded",
  },
  {
    name: "a deprecated Kubernetes warns and goes on",
    view: { ...upgrading, kubernetesMinor: "1.32" },
    state: "Upgrade",
    findings: ["KubernetesVersionDeprecated"],
    step: "gate 2 false",
    suspended: "RollInProgress",
  },
  {
    name: "a cluster never goes back",
    view: {
      release: release("8.0.2-2"),
      spec: asking(release("8.0.2-2").nodeTag),
    },
    state: "InvalidUpgrade",
    findings: ["OperatorDowngraded", "DowngradeRefused"],
    suspended: "OperatorDowngraded",
  },
  {
    name: "an even number of nodes is invalid",
    view: { spec: clusterSpec.parse({ nodes: 4 }) },
    state: "Invalid",
    findings: ["SpecInvalid"],
  },
  {
    name: "too few nodes that are even and fewer than there are: one objection",
    view: { spec: { ...clusterSpec.parse({}), nodes: 2 } },
    state: "Invalid",
    findings: ["SpecInvalid"],
  },
  {
    name: "nodes are never removed",
    view: { spec: clusterSpec.parse({ nodes: 3 }), workload: grown(5) },
    state: "Invalid",
    findings: ["SpecInvalid"],
  },
  {
    name: "more nodes are made",
    view: { spec: clusterSpec.parse({ nodes: 5 }) },
    state: "Running",
    step: "write-workload",
  },
  { name: "no node answers", view: { cluster: { reachable: false, reason: "refused" } }, state: "Error" },
  { name: "the cluster is being deleted", view: { deleting: true }, state: "Deleting", step: "rest" },
];

testPlans(cases);

test("a finding about a tag lists the right one, and its remedy sets it", () => {
  const view = clusterView({ release: NEW, spec: asking("nonsense") });
  const [finding] = planCluster(view, "").findings;
  assert.match(finding?.evidence ?? "", /"nonsense".*"8\.2\.0-25\.12"/);
  assert.match(finding?.remedy ?? "", /kubectl patch rec rec .*8\.2\.0-25\.12/);
});
