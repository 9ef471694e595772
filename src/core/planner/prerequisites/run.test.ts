import assert from "node:assert/strict";
import type { UserModuleStatus } from "../../api/cluster-status.ts";
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
} from "../../../../test/kit/facts/cluster-view.ts";
import type { ClusterView } from "../view/cluster-view.ts";
import { MOMENTS } from "./check.ts";
import { CHECKS } from "./list.ts";
import { findingsAt, firstFindingAt, verdictsAt } from "./run.ts";
import { checkInput, type CheckInput } from "./check-input.ts";
import type { ClusterEnvironment } from "./environment.ts";

const MODULE_URL = "https://x/graph.zip";
const listing = { userDefinedModules: [{ name: "Graph", source: { https: { url: MODULE_URL } } }] };

function fetched(change: Partial<UserModuleStatus> = {}): UserModuleStatus {
  const module = { name: "Graph", url: MODULE_URL, moduleName: "graph", version: "1.0.0" };
  return { ...module, state: "Installed", message: "", ...change };
}

const upgrading: Partial<ClusterView> = { operator: NEW, spec: asking(NEW.nodeTag) };
const custom = database({ name: "db", modules: ["graph"] });

interface Case {
  readonly name: string;
  readonly view?: Partial<ClusterView>;
  readonly environment?: ClusterEnvironment;
  readonly step?: CheckInput["step"];
  /** Severity and name of what is found; none when everything passes. */
  readonly found?: string;
  readonly evidence?: RegExp;
}

function read<T>(value: T): { readonly read: true; readonly value: T } {
  return { read: true, value };
}

const worker = { name: "w1", ready: true, cordoned: false, labels: {}, taints: [], spreads: true, pods: ["rec-0"] };
const three = [worker, { ...worker, name: "w2" }, { ...worker, name: "w3" }];
const local = { ...worker, spreads: false };
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

const cases: readonly Case[] = [
  { name: "a healthy cluster that nobody wants to change passes everything" },
  { name: "a healthy cluster on its way to the operator's release passes everything", view: upgrading },
  {
    name: "a module in use without a build for the base system blocks",
    view: {
      operator: release("7.8.2-6"),
      kubernetesMinor: "1.30",
      cluster: facts({
        databases: [custom],
        modules: [{ name: "graph", displayName: "Graph", bundled: false, platforms: ["rhel8/x86_64"] }],
      }),
    },
    step: { from: release("7.4.6-2"), to: release("7.8.2-6") },
    found: "block UnsupportedModule",
    evidence: /no build for rhel9 of graph \(rhel8\/x86_64\), used by "db"/,
  },
  {
    name: "a module in use that is not listed blocks where modules are listed",
    view: {
      ...upgrading,
      cluster: facts({
        databases: [custom],
        modules: [{ name: "graph", displayName: "Graph", bundled: false, platforms: ["rhel9/x86_64"] }],
      }),
    },
    found: "block UserModuleNotListed",
  },
  {
    name: "a module that is listed by its display name is listed",
    view: {
      ...upgrading,
      remembered: { state: "Running", userModules: [fetched()] },
      spec: asking(NEW.nodeTag, {
        userDefinedModules: [{ name: "Graph", source: { https: { url: "https://x/graph.zip" } } }],
      }),
      cluster: facts({
        databases: [custom],
        modules: [{ name: "graph", displayName: "Graph", bundled: false, platforms: ["rhel9/x86_64"] }],
      }),
    },
  },
  {
    name: "a listed module that was not fetched yet is waited for",
    view: { ...upgrading, spec: asking(NEW.nodeTag, listing) },
    found: "block UserModuleFetching",
  },
  {
    name: "a listed module that cannot be had, or is another one, blocks with what was found",
    view: {
      ...upgrading,
      spec: asking(NEW.nodeTag, listing),
      remembered: { userModules: [fetched({ state: "Failed", message: "the server answers 404" })] },
    },
    found: "block UserModuleInvalid",
  },
  {
    name: "bundled modules are nobody's concern",
    view: {
      ...upgrading,
      cluster: facts({
        databases: [custom],
        modules: [{ name: "graph", displayName: "Graph", bundled: true, platforms: [] }],
      }),
    },
  },
  {
    name: "a cluster that is not at rest blocks",
    view: { remembered: { ...clusterView().remembered, state: "Error" } },
    found: "block ClusterNotAtRest",
    evidence: /STATE is Error/,
  },
  {
    name: "a spec that nobody has looked at blocks",
    view: { generation: 7 },
    found: "block SpecNotHandled",
  },
  {
    name: "nodes of two releases, none of them the target, block",
    view: { cluster: facts({ nodes: [node(1), node(2), node(3, { tag: "8.0.18-23.11" })] }) },
    found: "block MixedVersions",
    evidence: /node 3 runs 8\.0\.18-23\.11/,
  },
  {
    name: "nodes of two releases on their way to one of them are told",
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
    name: "a licence that ends within the week is told",
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
    name: "a single copy on disk is told",
    view: { cluster: facts({ databases: [database({ replication: false })] }) },
    found: "warn SingleCopy",
  },
  {
    name: "replicas without a third node for their stand-ins are told",
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
    name: "an object that cannot be acted on is told",
    environment: { desiredDatabases: read([{ name: "db", storeVersion: "7.2", objection: "no such thing" }]) },
    found: "warn DatabaseObjectInvalid",
  },
  { name: "a worker for each node passes", environment: { workers: read(three) } },
  {
    name: "fewer workers than nodes block",
    environment: { workers: read([...three.slice(1), { ...worker, cordoned: true }]) },
    found: "block WorkerUnschedulable",
    evidence: /3 nodes need 3 workers, one each, and 2 take pods: w1 is cordoned/,
  },
  {
    name: "a cordoned worker beside enough others is told",
    environment: { workers: read([...three, { ...worker, name: "w4", cordoned: true }]) },
    found: "warn WorkerUnschedulable",
    evidence: /w4, with rec-0, is cordoned/,
  },
  {
    name: "a tainted worker counts for nothing",
    environment: { workers: read([...three.slice(1), { ...worker, taints: [{ key: "gpu", value: "yes" }] }]) },
    found: "block WorkerUnschedulable",
    evidence: /w1 is tainted gpu/,
  },
  {
    name: "a taint that the pods tolerate is none",
    view: { spec: asking(clusterView().operator.nodeTag, { podTolerations: [{ key: "gpu", operator: "Exists" }] }) },
    environment: { workers: read([...three.slice(1), { ...worker, taints: [{ key: "gpu", value: "yes" }] }]) },
  },
  {
    name: "a selector that no worker satisfies blocks",
    view: { spec: asking(clusterView().operator.nodeTag, { nodeSelector: { disk: "fast" } }) },
    environment: { workers: read(three) },
    found: "block WorkerUnschedulable",
    evidence: /w1 does not carry disk=fast/,
  },
  { name: "the local world's one worker takes every pod", environment: { workers: read([local]) } },
  {
    name: "without anti-affinity one worker is enough",
    view: { spec: asking(clusterView().operator.nodeTag, { podAntiAffinity: {} }) },
    environment: { workers: read([worker]) },
  },
  {
    name: "the constraint of old releases is told once nothing needs it any more",
    environment: { constraint: read(true) },
    found: "warn ConstraintLeftOver",
  },
  {
    name: "the constraint is needed by a privileged release",
    view: {
      operator: release("7.8.6-1"),
      kubernetesMinor: "1.31",
      workload: undefined,
      pods: [],
      remembered: { state: "Running" },
    },
    environment: { constraint: read(true) },
  },
  {
    name: "a volume that is not bound blocks",
    environment: { volumes: read([{ name: "data-rec-0", phase: "Pending", resizing: false }]) },
    found: "block VolumeNotBound",
  },
  {
    name: "a volume that is being resized blocks",
    environment: { volumes: read([{ name: "data-rec-0", phase: "Bound", resizing: true }]) },
    found: "block VolumeResizing",
  },
  {
    name: "a policy that shuts the management port is told",
    environment: { networkPolicies: read([{ policy: "strict", ports: [{ first: 10_000, last: 19_999 }] }]) },
    found: "warn PortsClosed",
    evidence: /lets in 9443: strict/,
  },
  {
    name: "a policy that lets everything in passes",
    environment: { networkPolicies: read([{ policy: "lax", ports: undefined }]) },
  },
  {
    name: "a policy that does not know the ports of the new release is told",
    view: { kubernetesMinor: "1.30", operator: release("7.8.2-6") },
    step: { from: release("7.4.6-2"), to: release("7.8.2-6") },
    environment: { networkPolicies: read([{ policy: "strict", ports: [{ first: 9443, last: 9443 }] }]) },
    found: "warn PortsClosed",
    evidence: /3347-3350/,
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
    name: "a webhook that nobody answers blocks",
    environment: { webhook: read({ ...hook, endpoints: 0 }) },
    found: "block WebhookStale",
  },
  {
    name: "an operator that is not ready blocks",
    environment: { operator: read({ image: "x:1", ready: 0, wanted: 1 }) },
    found: "block OperatorNotReady",
  },
  {
    name: "what others met on the same step is told",
    view: { kubernetesMinor: "1.32", operator: release("8.0.2-2") },
    step: { from: release("7.22.2-21"), to: release("8.0.2-2") },
    found: "warn KnownIssues",
    evidence: /StoredVersionMoves/,
  },
];

for (const { name, view, environment = {}, step, found, evidence } of cases) {
  test(`prerequisites: ${name}`, () => {
    const input = checkInput(clusterView({ ...view, generation: view?.generation ?? 0 }), {
      environment,
      ...(step && { step }),
    });
    const verdicts = verdictsAt(MOMENTS, input).flatMap((verdict) =>
      verdict.outcome === "found" ? [verdict.finding] : [],
    );
    const named = verdicts.map(({ id, severity }) => `${severity} ${id}`);
    if (found === undefined) assert.deepEqual(named, []);
    else assert.ok(named.includes(found), `${named.join(", ")} has no ${found}`);
    if (evidence !== undefined) assert.match(verdicts.map((finding) => finding.evidence).join("; "), evidence);
    for (const finding of verdicts) assert.ok(finding.remedy.length > 10 && finding.evidence.length > 3, finding.id);
  });
}

test("each check has a name of its own, says what it asks, and is asked at some moment", () => {
  assert.equal(new Set(CHECKS.map(({ id }) => id)).size, CHECKS.length);
  for (const { id, asks, at } of CHECKS) assert.ok(/^[A-Z]\w+$/.test(id) && asks.length > 10 && at.length > 0, id);
});

test("a fact that could not be read is unknown, not a pass; one that nobody asks for is skipped", () => {
  const outcomes = (environment: ClusterEnvironment) =>
    new Map(
      verdictsAt(["plan"], checkInput(clusterView(), { environment })).map(({ check, outcome }) => [check.id, outcome]),
    );
  assert.equal(outcomes({}).get("VolumeNotBound"), "skipped");
  assert.equal(outcomes({ volumes: { read: false, why: "forbidden" } }).get("VolumeNotBound"), "unknown");
  assert.equal(outcomes({ volumes: read([]) }).get("VolumeNotBound"), "passed");
});

test("a cluster that does not answer leaves what needs it unknown, and stops nobody who acts", () => {
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
