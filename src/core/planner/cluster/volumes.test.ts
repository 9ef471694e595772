import assert from "node:assert/strict";
import { test } from "node:test";
import { asking, clusterView, NEW, OLD, pod, volume } from "../../../../test/kit/facts/cluster-view.ts";
import { clusterSpec } from "../../api/cluster-spec.ts";
import { operatorNeeds } from "../../releases/permissions/roles.ts";
import type { ClusterEnvironment, Volume } from "../prerequisites/environment.ts";
import type { ClusterView, Workload } from "../view/cluster-view.ts";
import { targetTag } from "../view/target.ts";
import { clusterConditions } from "./conditions.ts";
import { planCluster } from "./plan.ts";
import { persistenceOf } from "./volumes.ts";

const bigger = { spec: clusterSpec.parse({ persistentSpec: { volumeSize: "40Gi" } }) };
const AT_REST = `template of ${OLD.nodeTag}`;

function volumes(...changes: readonly Partial<Volume>[]): ClusterEnvironment {
  const names = ["data-rec-0", "data-rec-1", "data-rec-2"];
  return { volumes: { read: true, value: names.map((name, index) => volume({ name, ...changes[index] })) } };
}

function workload(change: Partial<Workload>): Workload | undefined {
  const { workload: made } = clusterView();
  return made && { ...made, ...change };
}

const grown = { requested: "40Gi", capacity: "40Gi" };
const REFUSED = { claim: "data-rec-1", storageClass: "slow", why: "no resize" };
const asked = { requested: "40Gi", capacity: "20Gi" };
const permissions = {
  permissions: {
    read: true,
    value: operatorNeeds()
      .filter(({ spare }) => spare === true)
      .map((need) => ({ ...need, namespace: "here", role: "store-enterprise-operator" })),
  },
} as const;

interface VolumeCase {
  readonly name: string;
  readonly view?: Partial<ClusterView>;
  readonly environment?: ClusterEnvironment;
  /** Kind of the act or reason of the wait, and the first finding. */
  readonly want: readonly [step: string, finding?: string];
  readonly says?: RegExp;
}

const cases: readonly VolumeCase[] = [
  { name: "volumes that have their size are left alone", view: {}, want: ["rest"] },
  { name: "nothing is done before the volumes are read", want: ["VolumeResizing"] },
  { name: "the volume of the highest node grows first", environment: volumes(), want: ["grow-volume"], says: /rec-2/ },
  {
    name: "the next volume waits until the one before has grown",
    environment: volumes({}, {}, asked),
    want: ["VolumeResizing", "VolumeResizing"],
    says: /0 of 3 volumes have 40Gi; data-rec-2 grows from 20Gi to 40Gi/,
  },
  {
    name: "a driver that cannot do it is quoted",
    environment: volumes({}, {}, { ...asked, problem: "NodeResizeError: no space" }),
    want: ["VolumeResizing", "VolumeResizing"],
    says: /NodeResizeError: no space/,
  },
  { name: "then the next one grows", environment: volumes({}, {}, grown), want: ["grow-volume"], says: /rec-1/ },
  {
    name: "a volume that was made larger by hand stays",
    environment: volumes(grown, grown, grown),
    want: ["free-pods"],
  },
  {
    name: "a refusal blocks before any volume is touched",
    environment: volumes({}, { refusal: REFUSED }),
    want: ["rest", "VolumeGrowthRefused"],
    says: /data-rec-1 is of storage class "slow", and Kubernetes refuses it: no resize/,
  },
  {
    name: "an operator with the Role of an older release says what it lacks",
    environment: { ...volumes(), ...permissions },
    want: ["rest", "PermissionsMissing"],
    says: /persistentvolumeclaims/,
  },
  {
    name: "an operator with the Role of an older release does all the rest",
    view: {},
    environment: permissions,
    want: ["rest"],
  },
  {
    name: "a smaller size is refused by name",
    view: { spec: clusterSpec.parse({ persistentSpec: { volumeSize: "10Gi" } }) },
    want: ["rest", "VolumeSize"],
    says: /it is 10Gi, volumes never shrink, and those of this cluster were given 20Gi/,
  },
  {
    name: "another class is refused by name",
    view: { spec: clusterSpec.parse({ persistentSpec: { storageClassName: "fast" } }) },
    want: ["rest", "SpecInvalid"],
    says: /storageClassName/,
  },
  {
    name: "volumes grow before an upgrade that has not begun",
    view: { release: NEW, spec: asking(NEW.nodeTag, { persistentSpec: { volumeSize: "40Gi" } }) },
    environment: volumes(),
    want: ["grow-volume"],
  },
  {
    name: "a roll that has begun is finished first",
    view: { ...bigger, pods: [pod(0), pod(1), pod(2, { revision: "newer" })] },
    environment: volumes(),
    want: ["gate"],
  },
  {
    name: "a node that is down for a full volume does not keep it from growing",
    view: { ...bigger, pods: [pod(0), pod(1), pod(2, { containerReady: false, inService: false })] },
    environment: volumes(),
    want: ["grow-volume"],
  },
  {
    name: "a StatefulSet that is leaving its pods is awaited",
    view: { workload: workload({ presence: "leaving" }) },
    want: ["StatefulSetLeaving"],
  },
  {
    name: "pods that have no StatefulSet get it back, at their tag, and none is replaced",
    view: { release: NEW, spec: asking(NEW.nodeTag), workload: workload({ presence: "lost", template: "" }) },
    want: ["restore-workload"],
  },
  {
    name: "pods that have no StatefulSet get it back whatever else is wrong",
    view: { spec: asking("8.9.9-1"), workload: workload({ presence: "lost", template: "", partition: 3 }) },
    want: ["restore-workload", "UnknownImageTag"],
  },
];

for (const { name, view = bigger, environment = {}, want, says = /./ } of cases) {
  test(`volumes: ${name}`, () => {
    const observed = clusterView(view);
    const { step, findings } = planCluster(observed, `template of ${targetTag(observed)}`, environment);
    const done = step.kind === "act" ? step.act.kind : step.kind === "wait" ? step.wait.id : step.kind;
    assert.deepEqual([done, ...findings.slice(0, 1).map(({ id }) => id)], want);
    const said = [step.kind === "act" ? step.why : step.kind === "wait" ? step.wait.evidence : "at rest"];
    assert.match([...said, ...findings.map(({ evidence }) => evidence)].join(" "), says);
    if (step.kind !== "act" || step.act.kind !== "restore-workload") return;
    assert.deepEqual([step.act.nodeTag, step.act.partition >= 0], [OLD.nodeTag, true]);
  });
}

for (const presence of ["leaving", "lost"] as const) {
  test(`volumes: STATE is Running while a StatefulSet is ${presence}, and Progressing says what becomes of it`, () => {
    const template = presence === "lost" ? "" : AT_REST;
    const view = clusterView({ ...bigger, workload: workload({ presence, template }) });
    const decision = planCluster(view, AT_REST);
    assert.equal(decision.state, "Running");
    const progressing = clusterConditions(view, decision).find(({ type }) => type === "Progressing");
    assert.match(progressing?.message ?? "", /made again( with volumes of 40Gi; its pods stay)?$/);
  });
}

test("volumes: STATE is Running while a StatefulSet that was made again has no revision yet", () => {
  const made = workload({ updateRevision: "", observed: false });
  assert.equal(planCluster(clusterView({ ...bigger, workload: made }), AT_REST).state, "Running");
});

const progress: readonly [
  name: string,
  environment: ClusterEnvironment,
  status: string,
  succeeded: string,
  size: string,
][] = [
  ["before anything is asked", volumes(), "Resizing", "0/3", "20Gi"],
  ["while one grows", volumes({}, {}, asked), "Resizing", "0/3", "40Gi"],
  ["when some have grown", volumes({}, grown, grown), "Resizing", "2/3", "40Gi"],
  ["when it is refused", volumes({ refusal: REFUSED }), "ResizeFailed", "0/3", "20Gi"],
];

for (const [name, environment, status, succeeded, volumeSize] of progress) {
  test(`the status has the progress of the volumes, ${name}`, () => {
    const { persistenceStatus } = persistenceOf(clusterView(bigger), environment);
    assert.deepEqual(persistenceStatus, { status, succeeded, volumeSize });
  });
}
