import assert from "node:assert/strict";
import { test } from "node:test";
import { controlledWorld, podImage, namespace, statefulSet, withKubectl } from "../../testing/controlled-world.ts";
import { until } from "../../../../controller-kit/src/testing/until.ts";
import * as builtin from "../../../../controller-kit/src/kube/builtin.ts";

test("StatefulSet: pods keep name, host name and volumes, and come in order", async () => {
  await using world = await controlledWorld();
  const claim = {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  await world.kube.create(builtin.StatefulSets, statefulSet("db", { volumeClaimTemplates: [claim] }));
  await until("all are ready", async () => (await world.get(builtin.StatefulSets, "db"))?.status?.readyReplicas === 3);
  const members = await world.podsOf("db");
  const created = members.map(({ metadata }) => Number(metadata.resourceVersion) > 0 && metadata.creationTimestamp);
  assert.deepEqual(created, created.toSorted());
  const last = members[2];
  assert.equal(last?.spec?.hostname, "db-2");
  assert.equal(last.spec.subdomain, "db");
  assert.equal(last.metadata.labels?.["statefulset.kubernetes.io/pod-name"], "db-2");
  assert.equal(last.metadata.labels["apps.kubernetes.io/pod-index"], "2");
  assert.equal(
    last.metadata.labels["controller-revision-hash"],
    (await world.get(builtin.StatefulSets, "db"))?.status?.updateRevision,
  );
  assert.equal(last.spec.volumes?.find(({ name }) => name === "data")?.persistentVolumeClaim?.claimName, "data-db-2");
  await until(
    "the claim is bound",
    async () => (await world.get(builtin.PersistentVolumeClaims, "data-db-2"))?.status?.phase === "Bound",
  );
  const bound = await world.get(builtin.PersistentVolumeClaims, "data-db-2");
  await world.kube.delete(builtin.Pods, { name: "db-2", namespace });
  await until("another db-2", async () => {
    const again = await world.get(builtin.Pods, "db-2");
    return again !== undefined && again.metadata.uid !== last.metadata.uid;
  });
  assert.equal((await world.get(builtin.PersistentVolumeClaims, "data-db-2"))?.metadata.uid, bound?.metadata.uid);
});

test("StatefulSet: pods whose claims are deleted with them get other ones, however soon they are made again", async () => {
  await using world = await controlledWorld();
  const claim = {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  const names = [0, 1, 2].map((ordinal) => `data-gone-${ordinal}`);
  const uids = async (): Promise<readonly string[]> => {
    const claims = await Promise.all(names.map((name) => world.get(builtin.PersistentVolumeClaims, name)));
    return claims.flatMap((found) =>
      found === undefined || found.metadata.deletionTimestamp !== undefined ? [] : [found.metadata.uid],
    );
  };
  const spec = { volumeClaimTemplates: [claim], podManagementPolicy: "Parallel" };
  await world.kube.create(builtin.StatefulSets, statefulSet("gone", spec));
  await until("all have one", async () => (await uids()).length === names.length);
  for (let round = 0; round < ROUNDS; round++) {
    const before = new Set(await uids());
    await Promise.all(names.map((name) => world.kube.delete(builtin.PersistentVolumeClaims, { name, namespace })));
    const pods = await world.podsOf("gone");
    await Promise.all(pods.map(({ metadata: { name } }) => world.kube.delete(builtin.Pods, { name, namespace })));
    await until("each has another one", async () => {
      const after = await uids();
      return after.length === names.length && after.every((uid) => !before.has(uid));
    });
    await until("each pod is there", async () => (await world.podsOf("gone")).length === names.length);
  }
});

const ROUNDS = 10;

test(
  "StatefulSet: a roll under Parallel stops at an unhealthy new pod, and a corrected template replaces it",
  withKubectl,
  async () => {
    await using world = await controlledWorld();
    await world.kube.create(builtin.StatefulSets, statefulSet("roll", { podManagementPolicy: "Parallel" }));
    assert.match(await world.kubectl("rollout", "status", "sts/roll"), /complete|rolling update/);
    world.pods.decide((pod) => (podImage(pod) === "broken:1" ? "unready" : "ready"));
    await world.setImage(builtin.StatefulSets, "roll", "broken:1");
    await until("the highest has it", async () => podImage((await world.podsOf("roll"))[2]) === "broken:1");
    await until(
      "the status says so",
      async () => (await world.get(builtin.StatefulSets, "roll"))?.status?.readyReplicas === 2,
    );
    assert.deepEqual((await world.podsOf("roll")).map(podImage), ["a:1", "a:1", "broken:1"]);
    await world.setImage(builtin.StatefulSets, "roll", "a:2");
    assert.match(await world.kubectl("rollout", "status", "sts/roll"), /complete/);
    assert.deepEqual((await world.podsOf("roll")).map(podImage), ["a:2", "a:2", "a:2"]);
    const { status } = (await world.get(builtin.StatefulSets, "roll")) ?? {};
    assert.equal(status?.currentRevision, status?.updateRevision);
    assert.equal(status?.updatedReplicas, 3);
    world.pods.decide(() => "ready");
  },
);

test(
  "StatefulSet: a partition holds lower ordinals, which keep the current revision even when they are replaced",
  withKubectl,
  async () => {
    await using world = await controlledWorld();
    const rolling = (partition: number): object => ({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } },
    });
    await world.kube.create(
      builtin.StatefulSets,
      statefulSet("part", { podManagementPolicy: "Parallel", ...rolling(2) }),
    );
    await until(
      "all are ready",
      async () => (await world.get(builtin.StatefulSets, "part"))?.status?.readyReplicas === 3,
    );
    await world.setImage(builtin.StatefulSets, "part", "a:2");
    assert.match(await world.kubectl("rollout", "status", "sts/part"), /partitioned roll out complete: 1 new pods/);
    const { uid } = (await world.get(builtin.Pods, "part-0"))?.metadata ?? {};
    await world.kube.delete(builtin.Pods, { name: "part-0", namespace });
    await until("part-0 is back", async () => {
      const pod = await world.get(builtin.Pods, "part-0");
      return pod !== undefined && pod.metadata.uid !== uid;
    });
    assert.deepEqual((await world.podsOf("part")).map(podImage), ["a:1", "a:1", "a:2"]);
    await world.kube.patch(
      builtin.StatefulSets,
      { name: "part", namespace },
      { type: "merge", body: { spec: rolling(0) } },
    );
    assert.match(await world.kubectl("rollout", "status", "sts/part"), /complete/);
    assert.deepEqual((await world.podsOf("part")).map(podImage), ["a:2", "a:2", "a:2"]);
    assert.match(await world.kubectl("rollout", "history", "sts/part"), /\n1 .*\n2 /);
  },
);

test("StatefulSet: one that is deleted alone and made again keeps its pods, also with claims of another size", async () => {
  await using world = await controlledWorld();
  const set = (storage: string): ReturnType<typeof statefulSet> =>
    statefulSet("kept", {
      podManagementPolicy: "Parallel",
      volumeClaimTemplates: [
        { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } } },
      ],
    });
  const isReady = async (): Promise<boolean> =>
    (await world.get(builtin.StatefulSets, "kept"))?.status?.readyReplicas === 3;
  const uids = async (): Promise<string[]> => (await world.podsOf("kept")).map(({ metadata }) => metadata.uid);
  await world.kube.create(builtin.StatefulSets, set("1Gi"));
  await until("all are ready", isReady);
  const before = await uids();
  const { status } = (await world.get(builtin.StatefulSets, "kept")) ?? {};
  await world.kube.delete(builtin.StatefulSets, { name: "kept", namespace }, { propagation: "Orphan" });
  await until("it is gone", async () => (await world.get(builtin.StatefulSets, "kept")) === undefined);
  assert.deepEqual(await uids(), before);
  await world.kube.create(builtin.StatefulSets, set("2Gi"));
  await until("its pods are adopted", isReady);
  assert.deepEqual(await uids(), before);
  assert.equal((await world.get(builtin.StatefulSets, "kept"))?.status?.updateRevision, status?.updateRevision);
});

test("a claim that grows has its new size once a pod uses it, and says until then that it waits", async () => {
  await using world = await controlledWorld();
  const claimOf = () => world.get(builtin.PersistentVolumeClaims, "lone");
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  await world.kube.create(builtin.PersistentVolumeClaims, { metadata: { name: "lone", namespace }, spec });
  await until("it is bound", async () => (await claimOf())?.status?.phase === "Bound");
  const body = { spec: { resources: { requests: { storage: "2Gi" } } } };
  await world.kube.patch(builtin.PersistentVolumeClaims, { name: "lone", namespace }, { type: "merge", body });
  await until("it waits", async () => (await claimOf())?.status?.conditions?.[0]?.type === "FileSystemResizePending");
  assert.deepEqual((await claimOf())?.status?.capacity, { storage: "1Gi" });
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "lone" } }];
  await world.kube.create(builtin.Pods, {
    metadata: { name: "user", namespace },
    spec: { containers: [{ name: "main", image: "a:1" }], volumes },
  });
  await until("it has grown", async () => (await claimOf())?.status?.capacity?.["storage"] === "2Gi");
  assert.deepEqual((await claimOf())?.status?.conditions ?? [], []);
});
