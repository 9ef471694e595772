import { asking, clusterView, release, volume } from "../../../../test/kit/facts/cluster-view.ts";
import { type CheckCase, read, testChecks } from "../../../../test/kit/facts/checked-cluster.ts";
import { stepFrom } from "./check-input.ts";

const worker = { name: "w1", ready: true, cordoned: false, labels: {}, taints: [], spreads: true, pods: ["rec-0"] };
const three = [worker, { ...worker, name: "w2" }, { ...worker, name: "w3" }];
const local = { ...worker, spreads: false };

const cases: readonly CheckCase[] = [
  { name: "a worker for each node passes", environment: { workers: read(three) } },
  {
    name: "fewer workers than nodes block",
    environment: { workers: read([...three.slice(1), { ...worker, cordoned: true }]) },
    found: "block WorkerUnschedulable",
    evidence: /3 nodes need 3 workers, one each, and 2 take pods: w1 is cordoned/,
  },
  {
    name: "a cordoned worker beside enough others is a warning",
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
    name: "a taint that the pods tolerate does not count",
    view: { spec: asking(clusterView().release.nodeTag, { podTolerations: [{ key: "gpu", operator: "Exists" }] }) },
    environment: { workers: read([...three.slice(1), { ...worker, taints: [{ key: "gpu", value: "yes" }] }]) },
  },
  {
    name: "a selector that no worker satisfies blocks",
    view: { spec: asking(clusterView().release.nodeTag, { nodeSelector: { disk: "fast" } }) },
    environment: { workers: read(three) },
    found: "block WorkerUnschedulable",
    evidence: /w1 does not carry disk=fast/,
  },
  { name: "the local world's one worker takes every pod", environment: { workers: read([local]) } },
  {
    name: "without anti-affinity one worker is enough",
    view: { spec: asking(clusterView().release.nodeTag, { podAntiAffinity: {} }) },
    environment: { workers: read([worker]) },
  },
  {
    name: "a volume that is not bound blocks",
    environment: { volumes: read([volume({ phase: "Pending" })]) },
    found: "block VolumeNotBound",
  },
  {
    name: "a volume that is being resized blocks",
    environment: { volumes: read([volume({ resizing: true })]) },
    found: "block VolumeResizing",
  },
  {
    name: "a policy that shuts the management port is reported",
    environment: { networkPolicies: read([{ policy: "strict", ports: [{ first: 10_000, last: 19_999 }] }]) },
    found: "warn PortsClosed",
    evidence: /lets in 9443: strict/,
  },
  {
    name: "a policy that lets everything in passes",
    environment: { networkPolicies: read([{ policy: "lax", ports: undefined }]) },
  },
  {
    name: "a policy that does not know the ports of the new release is reported",
    view: { kubernetesMinor: "1.30", release: release("7.8.2-6") },
    step: stepFrom("7.4.6-22", release("7.8.2-6")),
    environment: { networkPolicies: read([{ policy: "strict", ports: [{ first: 9443, last: 9443 }] }]) },
    found: "warn PortsClosed",
    evidence: /3347-3350/,
  },
];

testChecks(cases);
