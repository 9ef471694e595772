import assert from "node:assert/strict";
import { test } from "node:test";
import { mortalKube, type IsCounted } from "../../../test/kit/operator/mortal-kube.ts";
import { startOperatorWorld, type OperatorWorld } from "../../../test/kit/operator/operator-world.ts";
import { until } from "#kit/testing/until";
import type { Finding } from "../../core/api/parts.ts";
import {
  ActiveActiveDatabases,
  Clusters,
  Databases,
  RemoteClusters,
} from "../../mechanisms/observe/kubernetes/kinds.ts";
import { Events } from "#kit/kube/builtin";
import type { Kube, Ref, ResourceType } from "#kit/kube/kube";

const RELEASE = "8.2.0-12";

interface Status {
  readonly findings?: readonly Finding[] | undefined;
  readonly conditions?: readonly { readonly reason: string }[] | undefined;
}

/** A change that one pass of an operator finds. */
interface Scene {
  readonly name: string;
  readonly type: ResourceType<{ readonly status?: Status | undefined }>;
  readonly spec: object | ((name: string) => object);
  /** What is changed once an operator has looked at the object; without it, the change is that it is made. */
  readonly change?: object;
  readonly isReported: (status: Status) => boolean;
  readonly events: readonly string[];
}

const UNKNOWN_TAG = { storeEnterpriseImageSpec: { versionTag: "8.2.0-99" } };
const ELSEWHERE = { storeEnterpriseCluster: { name: "elsewhere" } };
const SITES = { participatingClusters: [{ name: "a" }, { name: "b" }] };

const scenes: readonly Scene[] = [
  {
    name: "a tag that is refused",
    type: Clusters,
    spec: UNKNOWN_TAG,
    isReported: hasFinding("UnknownImageTag"),
    events: ["UnknownImageTag"],
  },
  {
    name: "a tag that is corrected",
    type: Clusters,
    spec: UNKNOWN_TAG,
    change: { storeEnterpriseImageSpec: { versionTag: "8.2.0-25.12" } },
    isReported: (status) => !hasFinding("UnknownImageTag")(status),
    events: ["UnknownImageTag", "UpgradeUnblocked"],
  },
  {
    name: "a database without a cluster",
    type: Databases,
    spec: ELSEWHERE,
    isReported: hasFinding("ClusterNotFound"),
    events: ["ClusterNotFound"],
  },
  {
    name: "an Active-Active database without a cluster",
    type: ActiveActiveDatabases,
    spec: { ...ELSEWHERE, ...SITES },
    isReported: hasReason("ClusterNotFound"),
    events: ["ClusterNotFound"],
  },
  {
    name: "a remote cluster without a Secret",
    type: RemoteClusters,
    spec: (name) => ({ recName: name, recNamespace: "there", apiFqdnUrl: `${name}.there` }),
    isReported: hasReason("SecretMissing"),
    events: ["SecretMissing"],
  },
];

for (const scene of scenes) {
  test(`${scene.name}: one event of each change, before whichever write an operator ends`, async () => {
    await using world = await startOperatorWorld();
    for (let writes = 0; ; writes += 1) {
      const { hasDied, events } = await play(world, scene, writes);
      const once = scene.events.map((reason) => `${reason} x1`);
      assert.deepEqual(events, once, `an operator that ended after ${writes} writes`);
      if (!hasDied) break;
      assert.ok(writes < 20, "an operator reports it with few writes");
    }
  });
}

/** The change, before an operator that ends after some writes to the object and its events, and one that goes on. */
async function play(world: OperatorWorld, scene: Scene, writes: number) {
  const { kube, namespace } = world;
  const ref = { name: `one-${writes}`, namespace };
  const spec = typeof scene.spec === "function" ? scene.spec(ref.name) : scene.spec;
  const make = () => kube.create(scene.type, { metadata: ref, spec } as never);
  if (scene.change !== undefined) {
    await make();
    await world.operate(RELEASE);
    await reported(kube, scene.type, ref, (status) => !scene.isReported(status));
    await world.rest();
  }
  const mortal = mortalKube(kube, writes, countedFor(scene.type, ref));
  await world.operate(RELEASE, () => mortal.kube);
  if (scene.change === undefined) await make();
  else await kube.patch(scene.type, ref, { type: "merge", body: { spec: scene.change } });
  await reported(kube, scene.type, ref, scene.isReported, mortal.hasDied);
  await world.rest();
  const hasDied = mortal.hasDied();
  if (hasDied) {
    await world.operate(RELEASE);
    await reported(kube, scene.type, ref, scene.isReported);
    await world.rest();
  }
  return { hasDied, events: await eventsOf(kube, ref) };
}

function countedFor(subject: ResourceType, { name: of }: Ref): IsCounted {
  return (type, name) => (type.plural === "events" ? name.startsWith(`${of}.`) : type === subject && name === of);
}

/** Waits until the status says it, or nothing is to be waited for any more. */
async function reported(
  kube: Kube,
  type: Scene["type"],
  ref: Ref,
  isReported: Scene["isReported"],
  isOver: () => boolean = () => false,
): Promise<void> {
  await until(`the status of ${type.plural} ${ref.name} says it`, async () => {
    const status = (await kube.get(type, ref))?.status;
    return isOver() || (status?.conditions !== undefined && isReported(status));
  });
}

async function eventsOf(kube: Kube, { name, namespace = "" }: Ref): Promise<readonly string[]> {
  const { items } = await kube.list(Events, { namespace });
  return items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ reason, count }) => `${reason} x${count}`)
    .toSorted();
}

function hasFinding(id: string): Scene["isReported"] {
  return ({ findings = [] }) => findings.some((finding) => finding.id === id);
}

function hasReason(reason: string): Scene["isReported"] {
  return ({ conditions = [] }) => conditions.some((condition) => condition.reason === reason);
}
