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
} from "../../../../test/kit/facts/cluster-view.ts";
import { clusterSpec } from "../../api/cluster-spec.ts";
import { planCluster } from "./plan.ts";
import { targetTag } from "../view/target.ts";
import type { ClusterView, NodePod, Workload } from "../view/cluster-view.ts";

const EXPIRED = {
  state: "Expired",
  reason: "the licence expired on 2026-01-01T00:00:00Z",
  expirationDate: "2026-01-01T00:00:00Z",
} as const;

const digest = `sha256:${"0".repeat(64)}`;
const waitingForUpgrade = { operator: NEW } as const;
const upgrading = { operator: NEW, spec: asking(NEW.nodeTag) } as const;
const auto = (more: object = {}) => clusterSpec.parse({ autoUpgradeStoreEnterprise: true, ...more });

function grown(replicas: number): Workload | undefined {
  const { workload } = clusterView();
  return workload && { ...workload, replicas };
}

/** In the middle of a roll: pod 2 was replaced from `template`, and its node is down. */
function rolled(template: string, replaced: NodePod): Partial<ClusterView> {
  const { workload } = clusterView();
  return {
    workload: workload && { ...workload, template, updateRevision: "bad", partition: 2 },
    pods: [pod(0), pod(1), replaced],
    cluster: facts({
      nodes: [node(1), node(2), node(3, { active: false })],
      databases: [
        database({
          instances: [
            { node: 2, primary: true, inSync: true },
            { node: 3, primary: false, inSync: false },
          ],
        }),
      ],
    }),
  };
}

interface Case {
  readonly name: string;
  readonly view: Partial<ClusterView>;
  readonly state: string;
  readonly findings?: readonly string[];
  /** Act or reason of the wait. */
  readonly step?: string;
  readonly suspended?: string;
}

const cases: readonly Case[] = [
  { name: "a healthy cluster is left alone", view: {}, state: "Running", step: "done" },
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
    step: "done",
    suspended: "OperatorUpgraded",
  },
  {
    name: "an operator that is older than the cluster says so and writes nothing",
    view: { operator: release("7.22.2-21") },
    state: "InvalidUpgrade",
    findings: ["OperatorDowngraded"],
    step: "done",
    suspended: "OperatorDowngraded",
  },
  {
    name: "the tag of this operator starts the upgrade: the highest pod leaves service first",
    view: upgrading,
    state: "Upgrade",
    step: "gate 2 false",
    suspended: "OperatorUpgraded",
  },
  {
    name: "then its node is evacuated",
    view: { ...upgrading, pods: [pod(0), pod(1), pod(2, { inService: false })] },
    state: "Upgrade",
    step: "evacuate 3",
    suspended: "OperatorUpgraded",
  },
  {
    name: "then its primary is waited for",
    view: {
      ...upgrading,
      pods: [pod(0), pod(1), pod(2, { inService: false })],
      cluster: facts({ nodes: [node(1), node(2), node(3, { maintenance: true })] }),
    },
    state: "Upgrade",
    step: "EvacuatingNode",
    suspended: "OperatorUpgraded",
  },
  {
    name: "automatic upgrade writes the tag of the operator",
    view: { operator: NEW, spec: auto({ storeEnterpriseImageSpec: { versionTag: OLD.nodeTag } }) },
    state: "Upgrade",
    step: "write-tag",
    suspended: "OperatorUpgraded",
  },
  {
    name: "an unknown tag is InvalidUpgrade, and nothing is touched",
    view: { ...waitingForUpgrade, spec: asking("8.2.0-99.99") },
    state: "InvalidUpgrade",
    findings: ["UnknownImageTag"],
    step: "done",
    suspended: "OperatorUpgraded",
  },
  {
    name: "the tag of another release than the operator's is InvalidUpgrade",
    view: { ...waitingForUpgrade, spec: asking(release("8.0.18-11").nodeTag) },
    state: "InvalidUpgrade",
    findings: ["ImageTagMismatch"],
    step: "done",
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
    name: "an expired licence blocks the upgrade",
    view: { ...upgrading, cluster: facts({ license: EXPIRED }) },
    state: "InvalidUpgrade",
    findings: ["LicenseInvalid"],
    suspended: "OperatorUpgraded",
  },
  {
    name: "an expired licence does not disturb a cluster that is not upgraded",
    view: { cluster: facts({ license: EXPIRED }) },
    state: "Running",
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
    suspended: "OperatorUpgraded",
  },
  {
    name: "a cluster never goes back",
    view: {
      operator: release("8.0.2-2"),
      spec: asking(release("8.0.2-2").nodeTag),
    },
    state: "InvalidUpgrade",
    findings: ["OperatorDowngraded", "DowngradeRefused"],
    suspended: "OperatorDowngraded",
  },
  {
    name: "a replica that is behind makes the roll wait, not fail",
    view: {
      ...upgrading,
      cluster: facts({
        databases: [
          database({
            instances: [
              { node: 1, primary: true, inSync: true },
              { node: 2, primary: false, inSync: false },
            ],
          }),
        ],
      }),
    },
    state: "Upgrade",
    findings: ["ReplicaNotInSync"],
    step: "ReplicaNotInSync",
    suspended: "OperatorUpgraded",
  },
  {
    name: "a primary that does not serve makes the roll of its replica's node wait",
    view: {
      ...upgrading,
      cluster: facts({
        databases: [
          database({
            waitingFor: "the primary does not answer",
            instances: [
              { node: 1, primary: true, inSync: false },
              { node: 3, primary: false, inSync: false },
            ],
          }),
        ],
      }),
    },
    state: "Upgrade",
    findings: ["PrimaryAway"],
    step: "PrimaryAway",
    suspended: "OperatorUpgraded",
  },
  {
    name: "a node that is down makes the roll of another wait",
    view: { ...upgrading, cluster: facts({ nodes: [node(1), node(2, { active: false }), node(3)] }) },
    state: "Upgrade",
    findings: ["QuorumAtRisk"],
    step: "QuorumAtRisk",
    suspended: "OperatorUpgraded",
  },
  {
    name: "a node that somebody else put into maintenance stays there and makes the roll of another wait",
    view: { ...upgrading, cluster: facts({ nodes: [node(1, { maintenance: true }), node(2), node(3)] }) },
    state: "Upgrade",
    findings: ["NodeInMaintenance"],
    step: "NodeInMaintenance",
    suspended: "OperatorUpgraded",
  },
  {
    name: "a pod whose image cannot be pulled is waited for, in words",
    view: {
      ...upgrading,
      ...rolled(
        "bad template",
        pod(2, { revision: "bad", containerReady: false, inService: false, trouble: "ErrImagePull" }),
      ),
    },
    state: "Upgrade",
    findings: ["PodNotRunning"],
    step: "PodNotRunning",
    suspended: "OperatorUpgraded",
  },
  {
    name: "a corrected image spec replaces the pod that does not run, though its replica is behind",
    view: {
      ...upgrading,
      ...rolled(
        "another template",
        pod(2, { revision: "bad", containerReady: false, inService: false, trouble: "ErrImagePull" }),
      ),
    },
    state: "Upgrade",
    step: "write-workload",
    suspended: "OperatorUpgraded",
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
  { name: "the cluster is being deleted", view: { deleting: true }, state: "Deleting", step: "done" },
];

for (const { name, view: change, ...want } of cases) {
  test(`planCluster: ${name}`, () => {
    const view = clusterView(change);
    const bad = view.workload?.template === "bad template";
    const decision = planCluster(view, bad ? "bad template" : `template of ${targetTag(view)}`);
    const { step } = decision;
    const said = step.kind === "act" ? spell(step.act) : step.kind === "wait" ? step.reason : "done";
    assert.equal(decision.state, want.state);
    assert.deepEqual(
      decision.findings.map(({ id }) => id),
      want.findings ?? [],
    );
    if (want.step !== undefined) assert.equal(said, want.step);
    assert.equal(decision.suspension?.reason, want.suspended);
  });
}

test("a finding about a tag lists the right one, and its remedy sets it", () => {
  const view = clusterView({ operator: NEW, spec: asking("nonsense") });
  const [finding] = planCluster(view, "").findings;
  assert.match(finding?.evidence ?? "", /"nonsense".*"8\.2\.0-25\.12"/);
  assert.match(finding?.remedy ?? "", /kubectl patch rec rec .*8\.2\.0-25\.12/);
});

function spell(act: object): string {
  const { kind, ...rest } = act as { kind: string };
  return [kind, ...(kind === "gate" || kind === "evacuate" ? Object.values(rest) : [])].join(" ");
}
