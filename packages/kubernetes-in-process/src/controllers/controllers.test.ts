import assert from "node:assert/strict";
import { test } from "node:test";
import { controlledWorld, namespace, statefulSet } from "../testing/controlled-world.ts";
import { until } from "../../../controller-kit/src/testing/until.ts";
import * as builtin from "../../../controller-kit/src/kube/builtin.ts";
import type { Wanted } from "../../../controller-kit/src/kube/kube.ts";

test("Service: endpoints follow readiness, named ports and pods that go", async () => {
  await using world = await controlledWorld();
  const containers = [{ name: "main", image: "a:1", ports: [{ name: "http", containerPort: 8080 }] }];
  await world.kube.create(
    builtin.StatefulSets,
    statefulSet("svc", {
      replicas: 2,
      podManagementPolicy: "Parallel",
      template: { metadata: { labels: { app: "svc" } }, spec: { containers } },
    }),
  );
  await world.kube.create(builtin.Services, {
    metadata: { name: "svc", namespace },
    spec: { selector: { app: "svc" }, clusterIP: "None", ports: [{ name: "web", port: 80, targetPort: "http" }] },
  });
  const slice = async (): Promise<string[]> => {
    const { items } = await world.kube.list(builtin.EndpointSlices, {
      namespace,
      labelSelector: "kubernetes.io/service-name=svc",
    });
    return items
      .flatMap(({ endpoints, ports }) =>
        (endpoints ?? []).map((each) => `${each.hostname}:${ports?.[0]?.port} ${each.conditions?.ready}`),
      )
      .sort();
  };
  await until("both are ready", async () => (await slice()).join() === "svc-0:8080 true,svc-1:8080 true");
  world.pods.decide((pod) => (pod.metadata.name === "svc-1" ? "unready" : "ready"));
  await until("one is not", async () => (await slice()).join() === "svc-0:8080 true,svc-1:8080 false");
  await until(
    "endpoints say so too",
    async () => (await world.get(builtin.Endpoints, "svc"))?.subsets?.[0]?.notReadyAddresses?.length === 1,
  );
  world.pods.decide(() => "ready");
  world.pods.hold(true);
  await world.kube.delete(builtin.Pods, { name: "svc-0", namespace });
  await until("one is going", async () => (await slice()).join() === "svc-0:8080 false,svc-1:8080 true");
  world.pods.hold(false);
  await world.kube.delete(builtin.Services, { name: "svc", namespace });
  await until(
    "the slices went along",
    async () => (await slice()).length === 0 && (await world.get(builtin.Endpoints, "svc")) === undefined,
  );
});

test("PodDisruptionBudget: allows what is above the minimum and counts readiness", async () => {
  await using world = await controlledWorld();
  await world.kube.create(builtin.StatefulSets, statefulSet("guarded", { podManagementPolicy: "Parallel" }));
  await world.kube.create(builtin.PodDisruptionBudgets, {
    metadata: { name: "guarded", namespace },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: "guarded" } } },
  });
  const allowed = async (): Promise<number | undefined> =>
    (await world.get(builtin.PodDisruptionBudgets, "guarded"))?.status?.disruptionsAllowed;
  await until("one may go", async () => (await allowed()) === 1);
  world.pods.decide((pod) => (pod.metadata.name === "guarded-0" ? "unready" : "ready"));
  await until("none may go", async () => (await allowed()) === 0);
  world.pods.decide(() => "ready");
  await until("one may go again", async () => (await allowed()) === 1);
});

test("Job: a pod that succeeds completes it, and one that fails too often fails it", async () => {
  await using world = await controlledWorld();
  world.pods.decide((pod) => (pod.metadata.labels?.["app"] === "bad" ? "failed" : "succeeded"));
  const job = (name: string): Wanted<{ readonly spec: object }> => ({
    metadata: { name, namespace },
    spec: {
      backoffLimit: 0,
      template: {
        metadata: { labels: { app: name } },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "a:1" }] },
      },
    },
  });
  for (const name of ["good", "bad"]) await world.kube.create<object>(builtin.Jobs, job(name));
  const condition = async (name: string): Promise<string | undefined> =>
    (await world.get(builtin.Jobs, name))?.status?.conditions?.find(({ status }) => status === "True")?.type;
  await until("one is complete", async () => (await condition("good")) === "Complete");
  await until("the other has failed", async () => (await condition("bad")) === "Failed");
  world.pods.decide(() => "ready");
});

test("PersistentVolumeClaim: a claim is bound to a volume, protected while a pod has it, and takes the volume along", async () => {
  await using world = await controlledWorld();
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } };
  await world.kube.create(builtin.PersistentVolumeClaims, { metadata: { name: "c", namespace }, spec });
  await until(
    "it is bound",
    async () => (await world.get(builtin.PersistentVolumeClaims, "c"))?.status?.phase === "Bound",
  );
  const claim = await world.get(builtin.PersistentVolumeClaims, "c");
  assert.equal(claim?.status?.capacity?.["storage"], "2Gi");
  const volume = { name: claim.spec?.volumeName ?? "" };
  assert.equal((await world.kube.get(builtin.PersistentVolumes, volume))?.status?.phase, "Bound");
  const containers = [{ name: "main", image: "a:1" }];
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "c" } }];
  await world.kube.create(builtin.Pods, { metadata: { name: "user", namespace }, spec: { containers, volumes } });
  await until("the pod runs", async () => (await world.get(builtin.Pods, "user"))?.status?.phase === "Running");
  await world.kube.delete(builtin.PersistentVolumeClaims, { name: "c", namespace });
  assert.notEqual((await world.get(builtin.PersistentVolumeClaims, "c"))?.metadata.deletionTimestamp, undefined);
  await world.kube.delete(builtin.Pods, { name: "user", namespace });
  await until(
    "both are gone",
    async () =>
      (await world.get(builtin.PersistentVolumeClaims, "c")) === undefined &&
      (await world.kube.get(builtin.PersistentVolumes, volume)) === undefined,
  );
});
