// The floor: a controller that lists and watches what the operator does, keeps a copy, and does nothing.
import { LABELS } from "../../src/core/api/names.ts";
import { runInCluster } from "../../src/bin/in-cluster.ts";
import { ConfigMaps, Pods, StatefulSets } from "#kit/kube/builtin";
import { startInformer } from "#kit/kube/informer";
import type { ResourceType } from "#kit/kube/kube";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";

const FOLLOWED: readonly (readonly [type: ResourceType, labelSelector?: string])[] = [
  [Clusters],
  [Databases],
  [StatefulSets, LABELS.cluster],
  [Pods, `${LABELS.cluster},${LABELS.role}=node`],
  [ConfigMaps, LABELS.record],
];

await runInCluster(async ({ kube, namespace, clock, log }, signal) => {
  const informers = FOLLOWED.map(([type, labelSelector]) =>
    startInformer(kube, type, {
      namespace,
      clock,
      log,
      signal,
      ...(labelSelector === undefined ? {} : { labelSelector }),
    }),
  );
  await Promise.all(informers.map(({ synced }) => synced));
  log.info("synced");
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
});
