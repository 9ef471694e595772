import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { Secret } from "kubernetes-types/core/v1.js";
import { startEmbeddedServer } from "../../../../test/api-servers/test-server.ts";
import { connectAs, openNamespace, writeRole } from "../../../../test/kit/kubernetes/permission-scene.ts";
import type { Clock } from "#kit/base/clock";
import { API_GROUP, LABELS } from "../../../core/api/names.ts";
import { isFault } from "#kit/base/fault";
import { clusterRules } from "../../../core/releases/permissions/roles.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { Secrets } from "#kit/kube/builtin";
import { faults } from "#kit/kube/faults";
import type { Kube, Stored } from "#kit/kube/kube";
import { prepareSecrets } from "../../operator/secrets/prepare.ts";
import { numberedSecrets, type Counter, type NumberedSecrets } from "./numbered-secrets.ts";

const AHEAD = 4;
const nameOf = (number: number): string => `rec-db-${number}`;
const contents = (text: string) => ({
  labels: { [LABELS.cluster]: "rec", [LABELS.database]: text },
  data: { password: Buffer.from(text).toString("base64") },
});

await using server = await startEmbeddedServer();

await test("a node may make no Secret, and fills the lowest one that the operator has made", async () => {
  await using scene = await openScene();
  const metadata = { name: "rec-db-1", namespace: scene.namespace };
  await assert.rejects(scene.node.create(Secrets, { metadata }), (error) => isFault(error, faults.forbidden));
  await scene.prepare();
  const free = await scene.leader().take(scene.counter);
  assert.deepEqual([free?.number, scene.next()], [1, 2]);
  assert.ok(free !== undefined && (await scene.leader().fill(free, contents("1"))));
  const secret = await scene.secret(1);
  assert.deepEqual(secret?.data, contents("1").data);
  assert.deepEqual(secret?.metadata.labels, contents("1").labels);
  assert.equal(secret?.metadata.ownerReferences, undefined, "it would go with the object of the cluster");
});

await test("two leaders never get the same Secret", async () => {
  await using scene = await openScene();
  await scene.prepare();
  const leaders = [scene.leader(), scene.leader()];
  const all = await Promise.all([...leaders, ...leaders].map((leader) => leader.take(scene.counter)));
  assert.deepEqual(all.map((free) => free?.number).toSorted(), [1, 2, 3, 4]);
});

await test("a leader that stood still behind its number fills its own Secret, and one that died leaves it empty", async () => {
  await using scene = await openScene();
  await scene.prepare();
  const [slow, dead, next] = [scene.leader(), scene.leader(), scene.leader()];
  const still = await slow.take(scene.counter);
  await dead.take(scene.counter);
  const other = await next.take(scene.counter);
  assert.ok(still !== undefined && other !== undefined);
  assert.ok(await next.fill(other, contents("3")));
  assert.ok(await slow.fill(still, contents("1")));
  assert.deepEqual([await scene.password(1), await scene.password(2), await scene.password(3)], ["1", undefined, "3"]);
  await scene.prepare();
  assert.equal((await scene.leader().take(scene.counter))?.number, 4, "its number is not used again");
  const [owner] = (await scene.secret(2))?.metadata.ownerReferences ?? [];
  assert.equal(owner?.name, "rec", "it goes with the cluster");
});

await test("a Secret that was taken and not filled is removed by the next leader a minute later, and none that is filled", async () => {
  await using scene = await openScene();
  await scene.prepare();
  await scene.leader().take(scene.counter);
  const late = { ms: 0 };
  const next = scene.leader({ ...systemClock, uptimeMs: () => systemClock.uptimeMs() + late.ms });
  const filled = await next.take(scene.counter);
  assert.ok(filled !== undefined && (await next.fill(filled, contents("2"))));
  assert.notEqual(await scene.secret(1), undefined, "its node may still fill it");
  late.ms = 60_000;
  await next.take(scene.counter);
  assert.equal(await scene.secret(1), undefined);
  assert.equal(await scene.password(2), "2");
  late.ms = 120_000;
  await next.take(scene.counter);
  assert.equal(await scene.password(2), "2");
});

await test("while none is there nothing changes, and it goes on once the operator has made more", async () => {
  await using scene = await openScene();
  await scene.prepare();
  const leader = scene.leader();
  for (let number = 1; number <= AHEAD; number += 1) await leader.take(scene.counter);
  assert.equal(await leader.take(scene.counter), undefined);
  assert.deepEqual([await scene.leader().isReady(scene.counter), scene.next()], [false, AHEAD + 1]);
  await scene.prepare();
  assert.equal(await scene.leader().isReady(scene.counter), true);
  assert.equal((await leader.take(scene.counter))?.number, AHEAD + 1);
});

await test("of many that ask at once while none is there, one looks", async () => {
  await using scene = await openScene();
  await scene.prepare();
  const leader = scene.leader();
  for (let number = 1; number <= AHEAD; number += 1) await leader.take(scene.counter);
  let looks = 0;
  const counter = {
    use: (number: number) => scene.counter.use(number),
    next: () => {
      looks += 1;
      return scene.counter.next();
    },
  };
  const once = async (): Promise<number> => {
    looks = 0;
    assert.equal(await leader.take(counter), undefined);
    return looks;
  };
  const ofOne = await once();
  looks = 0;
  const all = await Promise.all(Array.from({ length: 8 }, () => leader.take(counter)));
  assert.deepEqual([all.every((free) => free === undefined), looks], [true, ofOne]);
});

await test("the Secret of another owner is never taken, and its number is passed over", async () => {
  await using scene = await openScene();
  const data = { mine: "bWluZQ==" };
  const others = [1, 2].map((number) => ({ name: nameOf(number), namespace: scene.namespace }));
  const marks = [{}, { [LABELS.cluster]: "another" }];
  for (const [index, ref] of others.entries())
    await server.kube.create(Secrets, { metadata: { ...ref, labels: marks[index] ?? {} }, data });
  await scene.prepare();
  const free = await scene.leader().take(scene.counter);
  assert.ok(free !== undefined && (await scene.leader().fill(free, contents("own"))));
  assert.deepEqual([free.number, scene.next()], [3, 4]);
  for (const ref of others) assert.deepEqual((await server.kube.get(Secrets, ref))?.data, data);
});

await test("numbers whose Secrets are filled were used, also where a restored record does not know it", async () => {
  await using scene = await openScene();
  await scene.prepare();
  for (let number = 1; number <= AHEAD; number += 1) {
    const free = await scene.leader().take(scene.counter);
    assert.ok(free !== undefined && (await scene.leader().fill(free, contents(String(number)))));
  }
  scene.restore(1);
  assert.equal(await scene.leader().take(scene.counter), undefined);
  assert.equal(scene.next(), AHEAD + 1, "the operator sees which ones come next");
  await scene.prepare();
  assert.equal((await scene.leader().take(scene.counter))?.number, AHEAD + 1);
  assert.equal(await scene.password(1), "1");
});

await test("a Secret that changed after it was taken is filled, unless it is gone or filled", async () => {
  await using scene = await openScene();
  await scene.prepare();
  const leader = scene.leader();
  const [changed, gone, filled] = [
    await leader.take(scene.counter),
    await leader.take(scene.counter),
    await leader.take(scene.counter),
  ];
  assert.ok(changed !== undefined && gone !== undefined && filled !== undefined);
  const at = (name: string) => ({ name, namespace: scene.namespace });
  const merge = (name: string, body: object) => server.kube.patch(Secrets, at(name), { type: "merge", body });
  await merge(changed.name, { metadata: { annotations: { by: "a user" } } });
  await server.kube.delete(Secrets, at(gone.name));
  await merge(filled.name, contents("another"));
  assert.deepEqual(await Promise.all([changed, gone, filled].map((free) => leader.fill(free, contents("own")))), [
    true,
    false,
    false,
  ]);
  assert.equal(await scene.password(filled.number), "another");
});

await test("while nodes of older releases are members a node makes what is not there, and fills what the operator makes meanwhile", async () => {
  await using scene = await openScene({ hasOlderNodes: true });
  const leader = scene.leader();
  const [one, two] = [await leader.take(scene.counter), await leader.take(scene.counter)];
  assert.ok(one !== undefined && two !== undefined);
  assert.deepEqual([one.prepared, two.prepared], [undefined, undefined]);
  assert.ok(await leader.fill(one, contents("1")));
  scene.restore(2);
  await scene.prepare();
  assert.ok(await leader.fill(two, contents("2")));
  assert.deepEqual([await scene.password(1), await scene.password(2)], ["1", "2"]);
  assert.equal((await scene.secret(2))?.metadata.ownerReferences, undefined);
});

await test("a node whose right to make Secrets goes between its number and its Secret says so, and goes on with another one", async () => {
  await using scene = await openScene({ hasOlderNodes: true });
  const free = await scene.leader().take(scene.counter);
  await scene.grant(false);
  assert.ok(free !== undefined);
  assert.equal(await scene.leader().fill(free, contents("1")), false);
  await scene.prepare();
  assert.equal((await scene.leader().take(scene.counter))?.number, 2);
});

interface Scene extends AsyncDisposable {
  readonly namespace: string;
  /** With the rights of a node. */
  readonly node: Kube;
  readonly counter: Counter;
  next(): number;
  /** Puts an older copy of the record back. */
  restore(next: number): void;
  leader(clock?: Clock): NumberedSecrets;
  /** What the operator does: Secrets for the next numbers. */
  prepare(): Promise<void>;
  /** Whether nodes may make Secrets. */
  grant(hasOlderNodes: boolean): Promise<void>;
  secret(number: number): Promise<Stored<Secret> | undefined>;
  password(number: number): Promise<string | undefined>;
}

async function openScene({ hasOlderNodes = false } = {}): Promise<Scene> {
  const namespace = `n-${randomBytes(4).toString("hex")}`;
  const secrets = Array.from({ length: 3 * AHEAD }, (_, index) => nameOf(index + 1));
  const rules = (older: boolean) => clusterRules("node", { name: "rec", nodes: 3, secrets, hasOlderNodes: older });
  await (await openNamespace(server, namespace, { rec: rules(hasOlderNodes) })).close();
  const node = await connectAs(server, namespace, "rec");
  let next = 1;
  const owner = { apiVersion: `${API_GROUP}/v1`, kind: "StoreEnterpriseCluster", name: "rec", uid: "u" };
  const secret = (number: number) => server.kube.get(Secrets, { name: nameOf(number), namespace });
  return {
    namespace,
    node,
    secret,
    counter: {
      next: () => next,
      use: async (number) => {
        const isFree = next <= number;
        next = Math.max(next, number + 1);
        return isFree;
      },
    },
    next: () => next,
    restore: (older) => {
      next = older;
    },
    leader: (clock = systemClock) =>
      numberedSecrets({ kube: node, cluster: "rec", namespace, clock }, { nameOf, ahead: AHEAD }),
    prepare: () =>
      prepareSecrets(
        { kube: server.kube, secrets: { get: () => undefined, learn: () => undefined } },
        Array.from({ length: AHEAD }, (_, index) => {
          const labels = { [LABELS.cluster]: "rec" };
          return { name: nameOf(next + index), namespace, labels, ownerReferences: [owner] };
        }),
      ),
    grant: (older) => writeRole(server, namespace, "rec", rules(older)),
    password: async (number) => {
      const held = (await secret(number))?.data?.["password"];
      return held === undefined ? undefined : Buffer.from(held, "base64").toString();
    },
    [Symbol.asyncDispose]: () => node.close(),
  };
}
