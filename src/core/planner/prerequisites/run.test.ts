import assert from "node:assert/strict";
import { test } from "node:test";
import {
  asking,
  clusterView,
  database,
  facts,
  NEW,
  node,
  pod,
  release,
  upgrading,
} from "../../../../test/kit/facts/cluster-view.ts";
import { type CheckCase, read, testChecks } from "../../../../test/kit/facts/checked-cluster.ts";
import { checkInput, stepFrom } from "./check-input.ts";
import type { ClusterEnvironment } from "./environment.ts";
import { CHECKS } from "./list.ts";
import { findingsAt, firstFindingAt, verdictsAt } from "./run.ts";

const UNDER_WAY = { from: "8.0.6-54", startedAt: "2026-01-01T00:00:00Z", updatedNodes: 1 };

const cases: readonly CheckCase[] = [
  { name: "a healthy cluster without a wanted change passes everything" },
  { name: "a healthy cluster on its way to the operator's release passes everything", view: upgrading },
  {
    name: "a cluster that is not at rest blocks",
    view: { remembered: { ...clusterView().remembered, state: "Error" } },
    found: "block ClusterNotAtRest",
    evidence: /STATE is Error/,
  },
  {
    name: "a cluster that was made keeps a key of the product that an older release took, also without pods and StatefulSet",
    view: {
      spec: { ...clusterView().spec, extraLabels: { "storeenterprise.io/team": "a" } },
      workload: undefined,
      pods: [],
    },
  },
  {
    name: "a cluster that was never made does not begin with one",
    view: {
      spec: { ...clusterView().spec, extraLabels: { "storeenterprise.io/team": "a" } },
      workload: undefined,
      pods: [],
      remembered: {},
    },
    found: "block SpecInvalid",
    evidence:
      /spec\.extraLabels\["storeenterprise\.io\/team"\]: Forbidden: keys of this domain mark what the product owns/,
  },
  {
    name: "a spec that the controller has not observed blocks",
    view: { generation: 7 },
    found: "block SpecNotHandled",
  },
  {
    name: "nodes of two releases, none of them the target, block",
    view: { ...upgrading, pods: [pod(0), pod(1), pod(2, { nodeTag: "8.0.18-23.11" })] },
    found: "block MixedVersions",
    evidence: /node 3 runs 8\.0\.18-23\.11/,
  },
  {
    name: "a node of a third release is no block when the upgrade that has begun leads to the target",
    view: {
      ...upgrading,
      pods: [pod(0), pod(1), pod(2, { nodeTag: "8.0.18-23.11" })],
      remembered: { ...clusterView().remembered, upgrade: { ...UNDER_WAY, to: NEW.nodeTag } },
    },
  },
  {
    name: "nodes of two releases on their way to one of them are reported",
    view: { ...upgrading, cluster: facts({ nodes: [node(1), node(2), node(3, { tag: NEW.nodeTag })] }) },
    found: "warn UpgradeUnfinished",
  },
  {
    name: "credentials that the cluster refuses block",
    view: { cluster: { reachable: false, reason: "it says 401", cause: "credentials" } },
    found: "block CredentialsRefused",
    evidence: /secret rec/,
  },
  {
    name: "a licence that ends in mid-roll blocks",
    environment: { now: read("2026-12-30T23:00:00Z") },
    found: "block LicenseEndsSoon",
  },
  {
    name: "a licence that ends within the week is reported",
    environment: { now: read("2026-12-28T00:00:00Z") },
    found: "warn LicenseEndsSoon",
  },
  { name: "a licence with time left passes", environment: { now: read("2026-12-01T00:00:00Z") } },
  {
    name: "too little memory without one node blocks",
    view: { cluster: facts({ nodes: [node(1), node(2)].map((one) => ({ ...one, memoryBytes: 150_000_000 })) }) },
    found: "block CapacityShort",
    evidence: /200 MB and the nodes without the largest one have 150 MB/,
  },
  {
    name: "a single copy in memory alone needs consent",
    view: { cluster: facts({ databases: [database({ replication: false, persistence: "disabled" })] }) },
    found: "consent SingleCopy",
  },
  {
    name: "a single copy on disk is reported",
    view: { cluster: facts({ databases: [database({ replication: false })] }) },
    found: "warn SingleCopy",
  },
  {
    name: "replicas without a third node for their stand-ins are reported",
    view: { cluster: facts({ nodes: [node(1), node(2)] }) },
    found: "warn SingleCopy",
    evidence: /no third node/,
  },
  {
    name: "an upgrade that waits in an object needs consent",
    environment: { desiredDatabases: read([{ name: "db", storeVersion: "8.2", objection: "" }]) },
    found: "consent DatabaseUpgradeWaits",
    evidence: /"db" goes from 7\.2 to 8\.2/,
  },
  {
    name: "an object that cannot be acted on is reported",
    environment: { desiredDatabases: read([{ name: "db", storeVersion: "7.2", objection: "no such thing" }]) },
    found: "warn DatabaseObjectInvalid",
  },
  {
    name: "an operator that is not ready blocks",
    environment: { operator: read({ image: "x:1", ready: 0, wanted: 1 }) },
    found: "block OperatorNotReady",
  },
  {
    name: "known issues of the same step are reported",
    view: { kubernetesMinor: "1.32", release: release("8.0.2-2") },
    step: stepFrom("7.22.2-14", release("8.0.2-2")),
    found: "warn KnownIssues",
    evidence: /StoredVersionMoves/,
  },
];

const unknownTag = (tag: string, more: object = {}) => ({
  ...upgrading,
  spec: asking(NEW.nodeTag, more),
  pods: [pod(0, { nodeTag: NEW.nodeTag }), pod(1, { nodeTag: "8.0.6-54" }), pod(2, { nodeTag: tag })],
});

testChecks([
  {
    name: "a running version that is in no release blocks, also when others are known",
    view: unknownTag("8.0.6-999"),
    found: "block UnknownRunningVersion",
    evidence: /"8\.0\.6-999", which is in no release that operator 8\.2\.0-12 knows/,
  },
  {
    name: "a version that is accepted by name is a warning",
    view: unknownTag("8.0.6-999", { upgradeSpec: { acceptUnknownVersion: "8.0.6-999" } }),
    found: "warn UnknownVersionAccepted",
  },
  {
    name: "the acceptance of another version is none",
    view: unknownTag("8.0.6-999", { upgradeSpec: { acceptUnknownVersion: "8.0.6-998" } }),
    found: "block UnknownRunningVersion",
    evidence: /names "8\.0\.6-998" instead/,
  },
  {
    name: "what is certain of an unknown version blocks though it is accepted",
    view: unknownTag("7.2.4-999", { upgradeSpec: { acceptUnknownVersion: "7.2.4-999" } }),
    found: "block VersionBelowMinimum",
  },
  {
    name: "a running version that is in no release and newer is not taken back",
    view: unknownTag("9.0.0-1"),
    found: "block DowngradeRefused",
  },
]);

testChecks(cases);

test("each check has a name of its own, says what it asks, and is asked at some moment", () => {
  assert.equal(new Set(CHECKS.map(({ id }) => id)).size, CHECKS.length);
  for (const { id, asks, at } of CHECKS) assert.ok(/^[A-Z]\w+$/.test(id) && asks.length > 10 && at.length > 0, id);
});

test("a fact that could not be read is unknown, not a pass; a check whose facts are not asked for is skipped", () => {
  const outcomes = (environment: ClusterEnvironment) =>
    new Map(
      verdictsAt(["plan"], checkInput(clusterView(), { environment })).map(({ check, outcome }) => [check.id, outcome]),
    );
  assert.equal(outcomes({}).get("VolumeNotBound"), "skipped");
  assert.equal(outcomes({ volumes: { read: false, why: "forbidden" } }).get("VolumeNotBound"), "unknown");
  assert.equal(outcomes({ volumes: read([]) }).get("VolumeNotBound"), "passed");
});

test("a cluster that does not answer leaves checks that need it unknown, and stops no action", () => {
  const view = clusterView({ ...upgrading, cluster: { reachable: false, reason: "no node answers" } });
  const unknown = verdictsAt(["start"], checkInput(view)).filter(({ outcome }) => outcome === "unknown");
  assert.ok(unknown.some(({ check }) => check.id === "LicenseInvalid"));
  assert.deepEqual(findingsAt("start", checkInput(view)), []);
});

test("before a pod is touched, what that pod itself lacks is no objection", () => {
  const view = clusterView({
    ...upgrading,
    cluster: facts({ nodes: [node(1), node(2), node(3, { active: false })] }),
  });
  assert.equal(firstFindingAt("step", checkInput(view, { touching: pod(2) })), undefined);
  assert.equal(firstFindingAt("step", checkInput(view, { touching: pod(1) }))?.id, "QuorumAtRisk");
  assert.equal(firstFindingAt("step", checkInput(view))?.id, "QuorumAtRisk");
});
