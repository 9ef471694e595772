import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "../objects/object.ts";
import { builtinResources } from "../builtin/resources.ts";
import { renderTable } from "./render.ts";

const NOW = new Date("2026-01-02T00:00:00Z");
const MADE = "2026-01-01T23:59:00Z";

function object(kind: string, fields: object, metadata: object = {}): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name: "x", creationTimestamp: MADE, ...metadata }, ...fields };
}

/** The cells of one object by the headings of their columns. */
function row(kind: string, fields: object, metadata: object = {}): Record<string, unknown> {
  const resource = builtinResources.find((each) => each.kind === kind && !each.group.startsWith("events"));
  assert.ok(resource !== undefined, kind);
  const one = object(kind, fields, metadata);
  const options = { metadata: {}, include: "None", now: NOW, version: "v1", headers: true } as const;
  const table = JSON.parse(JSON.stringify(renderTable(resource, [one], options)));
  const names = table.columnDefinitions.map(({ name }: { name: string }) => name);
  return Object.fromEntries(names.map((name: string, index: number) => [name, table.rows[0].cells[index]]));
}

const HEADINGS: Readonly<Record<string, string>> = {
  Pod: "Name Ready Status Restarts Age IP Node Nominated-Node Readiness-Gates",
  Deployment: "Name Ready Up-to-date Available Age Containers Images Selector",
  StatefulSet: "Name Ready Age Containers Images",
  ReplicaSet: "Name Desired Current Ready Age Containers Images Selector",
  Service: "Name Type Cluster-IP External-IP Port(s) Age Selector",
  Event: "Last-Seen Type Reason Object Subobject Source Message First-Seen Count Name",
  Lease: "Name Holder Age",
  CustomResourceDefinition: "Name Created-At",
  Secret: "Name Type Data Age",
  ConfigMap: "Name Data Age",
  Namespace: "Name Status Age",
  Node: "Name Status Roles Age Version Internal-IP External-IP OS-Image Kernel-Version Container-Runtime",
  PersistentVolumeClaim: "Name Status Volume Capacity Access-Modes StorageClass VolumeAttributesClass Age VolumeMode",
  Job: "Name Status Completions Duration Age Containers Images Selector",
  EndpointSlice: "Name AddressType Ports Endpoints Age",
  PodDisruptionBudget: "Name Min-Available Max-Unavailable Allowed-Disruptions Age",
  RoleBinding: "Name Role Age Users Groups ServiceAccounts",
  Role: "Name Created-At",
};
for (const [kind, headings] of Object.entries(HEADINGS)) {
  test(`${kind}: ${headings}`, () => {
    assert.equal(
      Object.keys(row(kind, {}))
        .map((name) => name.replaceAll(" ", "-"))
        .join(" "),
      headings,
    );
  });
}

const running = { ready: true, restartCount: 0, state: { running: {} } };
const waiting = (reason: string): object => ({ ready: false, restartCount: 0, state: { waiting: { reason } } });
const ended = (terminated: object): object => ({ ready: false, restartCount: 0, state: { terminated } });
const podStates: readonly [rule: string, status: object, metadata: object, shown: string][] = [
  ["a running pod", { phase: "Running", containerStatuses: [running] }, {}, "1/1 Running 0"],
  ["a pod that has just been made", { phase: "Pending" }, {}, "0/1 Pending 0"],
  [
    "a crash loop",
    { phase: "Running", containerStatuses: [waiting("CrashLoopBackOff")] },
    {},
    "0/1 CrashLoopBackOff 0",
  ],
  ["a wrong image", { phase: "Pending", containerStatuses: [waiting("ErrImagePull")] }, {}, "0/1 ErrImagePull 0"],
  [
    "a finished pod",
    { phase: "Succeeded", containerStatuses: [ended({ reason: "Completed", exitCode: 0 })] },
    {},
    "0/1 Completed 0",
  ],
  ["an end by signal", { phase: "Failed", containerStatuses: [ended({ signal: 9 })] }, {}, "0/1 Signal:9 0"],
  ["an end by code", { phase: "Failed", containerStatuses: [ended({ exitCode: 3 })] }, {}, "0/1 ExitCode:3 0"],
  ["an evicted pod", { phase: "Failed", reason: "Evicted" }, {}, "0/1 Evicted 0"],
  [
    "a pod that is being deleted",
    { phase: "Running", containerStatuses: [running] },
    { deletionTimestamp: MADE },
    "1/1 Terminating 0",
  ],
  [
    "a pod that waits for an init container",
    { phase: "Pending", initContainerStatuses: [{ state: { running: {} } }] },
    {},
    "0/1 Init:0/1 0",
  ],
  [
    "restarts and how long ago the last one was",
    {
      phase: "Running",
      containerStatuses: [
        { ...running, restartCount: 2, lastState: { terminated: { finishedAt: "2026-01-01T23:59:30Z" } } },
      ],
    },
    {},
    "1/1 Running 2 (30s ago)",
  ],
];
for (const [rule, status, metadata, shown] of podStates) {
  test(`${rule} is shown as ${shown}`, () => {
    const init = "initContainerStatuses" in status ? { initContainers: [{ name: "i" }] } : {};
    const cells = row("Pod", { spec: { containers: [{ name: "c" }], ...init }, status }, metadata);
    assert.equal([cells["Ready"], cells["Status"], cells["Restarts"]].join(" "), shown);
  });
}

test("readiness gates that are met are counted", () => {
  const spec = { containers: [], readinessGates: [{ conditionType: "a" }, { conditionType: "b" }] };
  const cells = row("Pod", { spec, status: { conditions: [{ type: "a", status: "True" }] } });
  assert.equal(cells["Readiness Gates"], "1/2");
});

test("a service shows its ports, and None when headless", () => {
  const ports = [
    { port: 80, protocol: "TCP" },
    { port: 53, nodePort: 30053, protocol: "UDP" },
  ];
  const cells = row("Service", { spec: { type: "NodePort", clusterIP: "None", ports, selector: { b: "2", a: "1" } } });
  assert.deepEqual(
    [cells["Cluster-IP"], cells["External-IP"], cells["Port(s)"], cells["Selector"]],
    ["None", "<none>", "80/TCP,53:30053/UDP", "a=1,b=2"],
  );
});

test("an event that came often says how often and since when", () => {
  const event = {
    count: 3,
    firstTimestamp: MADE,
    lastTimestamp: "2026-01-01T23:59:50Z",
    involvedObject: { kind: "Pod", name: "p" },
  };
  const cells = row("Event", event);
  assert.deepEqual([cells["Last Seen"], cells["Object"], cells["Count"]], ["10s (x3 over 60s)", "pod/p", 3]);
});

test("jobs show how far they are", () => {
  const spec = { completions: 3, parallelism: 1 };
  const cells = row("Job", { spec, status: { succeeded: 1, startTime: MADE } });
  assert.deepEqual([cells["Status"], cells["Completions"], cells["Duration"]], ["Running", "1/3", "60s"]);
  const done = { conditions: [{ type: "Complete", status: "True" }], succeeded: 3 };
  assert.equal(row("Job", { spec, status: done })["Status"], "Complete");
});
