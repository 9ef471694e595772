import assert from "node:assert/strict";
import { Databases } from "../../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Pods } from "#kit/kube/builtin";
import { SECRET } from "./modules.ts";
import type { Lane } from "./lane.ts";
import { tallyArchive } from "../modules/module-archive.ts";
import { step } from "../scenario/step.ts";
import { proves } from "../specification/proves.ts";
import type { FrozenLane } from "./frozen-lane.ts";
import { release } from "../facts/cluster-view.ts";

/**
 * A database waits for a build of its module; listing the module installs it, restarts the node pods one by one (§2.2), and
 * lets the database be made (§4.3 rule 6).
 */
export function listAnotherModule(lane: FrozenLane): Promise<void> {
  return step("another module is listed", () => listModule(lane));
}

async function listModule(lane: FrozenLane): Promise<void> {
  const { kube, namespace, modules } = lane;
  modules.put("tally-74.zip", await tallyArchive({ version: "2.0.0", compatible: "7.4" }));
  const spec = { memorySize: "100MB", storeVersion: "7.4" as const, modulesList: [{ name: "tally" }] };
  await kube.create(Databases, { metadata: { name: "early", namespace }, spec });
  const refusal = /no build of module "tally" for database version 7\.4/;
  await lane.database("early", "it waits for the module", ({ status }) =>
    refusal.test(status?.conditions?.find(({ type }) => type === "Ready")?.message ?? ""),
  );
  const before = await podsOf(lane);
  const source = { https: { url: modules.url("tally-74.zip") } };
  await lane.patch({ userDefinedModules: [{ name: "Tally", source, credentialsSecret: SECRET }] });
  let least = before.size;
  await lane.cluster("the pods are restarted", ({ status }) => status?.state === "RunningRollingUpdate");
  const { status } = await lane.cluster("every pod was", (rec) => {
    least = Math.min(least, (rec.status?.nodes ?? []).filter(({ status: is }) => is === "active").length);
    return rec.status?.state === "Running" && rec.status.replicas === before.size;
  });
  proves(
    "§4.3.6 the REC is upgraded, its modules defined before any database uses them",
    "status.userModules after the list changed, a database having waited for the build",
  ).deepEqual(
    status?.userModules?.map(({ name, state, version }) => [name, state, version]),
    [["Tally", "Installed", "2.0.0"]],
  );
  const after = await podsOf(lane);
  proves(
    "§2.2 a changed userDefinedModules list restarts the pods one by one",
    "the least number of active nodes meanwhile: one less than all; and the pods that were not replaced: none",
  ).deepEqual([least, [...before].filter((uid) => after.has(uid))], [before.size - 1, []]);
  const made = await lane.database("early", "it is made", ({ status: now }) => now?.status === "active");
  proves(
    "§4.3.6 the REC is upgraded, its modules defined before any database uses them",
    "version of the database that waited, once its module is listed",
  ).match(made.status?.version, /^7\.4/);
}

/** §9: a later release does not support this Kubernetes; the plan names what comes first. */
export function meetUnsupportedKubernetes(lane: FrozenLane): Promise<void> {
  return step("the next release does not support this Kubernetes", () => meetRelease(lane));
}

async function meetRelease(lane: FrozenLane): Promise<void> {
  const here = lane.to();
  const next = release("8.0.6-8");
  const plan = await lane.sh(`npm run -s storectl -- plan --to ${next.operator}`);
  proves(
    "§9 other targets: the release says its minimum, intermediate upgrades are named",
    "`storectl plan` to a release that needs another Kubernetes: its steps in their order",
  ).match(plan, /kubernetes: 1\.30 -> 1\.31[^]*operator: 7\.8\.6-19 -> 8\.0\.6-8[^]*cluster: /);
  await lane.operator(next);
  await lane.patch({ storeEnterpriseImageSpec: { versionTag: next.nodeTag } });
  const { status } = await lane.cluster(
    "it is refused",
    ({ metadata, status: now }) =>
      now?.state === "InvalidUpgrade" &&
      now.observedGeneration === metadata.generation &&
      (now.findings ?? []).some(({ id }) => id === "KubernetesVersionUnsupported"),
  );
  const finding = status?.findings?.find(({ id }) => id === "KubernetesVersionUnsupported");
  proves(
    "§9 the Kubernetes distribution is on the list of the target",
    "state and finding of a cluster on a Kubernetes that is too old, its version being the old one",
  ).match(
    [status?.state, status?.version, finding?.evidence].join(" "),
    new RegExp(`^InvalidUpgrade ${here.nodeTag} Kubernetes 1\\.30 is not supported by 8\\.0\\.6-8`),
  );
  assert.match(finding?.remedy ?? "", /bring Kubernetes to one of 1\.33, 1\.34/);
  assert.match(await lane.sh("kubectl describe rec rec"), /KubernetesVersionUnsupported/);
}

async function podsOf({ kube, namespace }: Lane): Promise<ReadonlySet<string>> {
  const labelSelector = "storeenterprise.io/cluster=rec,storeenterprise.io/role=node";
  const { items } = await kube.list(Pods, { namespace, labelSelector });
  return new Set(items.map(({ metadata }) => metadata.uid));
}
