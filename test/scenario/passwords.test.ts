import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterNames } from "../../src/core/api/names.ts";
import { ConfigMaps, Leases } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import { until } from "#kit/testing/until";
import { NODES, startGuarded, startGuardedUnderLoad } from "../kit/world/guarded-database.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { assertWithin } from "#kit/testing/assert-within";

const PATIENCE = { withinMs: 40_000, everyMs: 25 };
const NEW = { password: "n3w" };

await using cluster = await startTestCluster();

await test("a password is replaced under load: the new one counts at once, the former one until the overlap ends, no client is cut", async () => {
  await using world = await startGuardedUnderLoad(cluster, "rotated", 10);
  const open = await world.connect(1, "first");
  const began = performance.now();
  await world.change({ authentication_redis_pass: "second" });
  assert.deepEqual(await world.acceptedBy("second"), NODES, "the answer of the request comes after that");
  assert.deepEqual(await world.acceptedBy("first"), NODES);
  await until("the former one has ended", async () => (await world.acceptedBy("first")).length === 0, PATIENCE);
  const lasted = performance.now() - began;
  assert.ok(lasted > 9_900, `the overlap lasted ${lasted} ms`);
  assertWithin(12_000, lasted, "the overlap of ten seconds ends");
  assert.deepEqual(await world.acceptedBy("second"), NODES);
  assert.equal(await open.call("PING"), "PONG", "who is in stays in");
  open.close();
  for (const password of ["first", "second"]) assert.equal(await world.enginesAccept(password), 0, password);
  await world.finishUnharmed();
});

await test("the overlap outlives the leader, the agents and the proxies, and ends all the same", async () => {
  await using world = await startGuarded(cluster, "outlived", 30);
  await world.change({ authentication_redis_pass: "second" });
  const leader = await cluster.leader();
  const other = NODES.find((uid) => uid !== leader) ?? 0;
  await Promise.all([cluster.kill(leader), cluster.kill(other)]);
  await Promise.all([cluster.start(leader), cluster.start(other)]);
  await until("each takes clients", async () => (await world.acceptedBy("second")).length === 3, PATIENCE);
  assert.deepEqual(await world.acceptedBy("first"), NODES, "the agents and proxies of two nodes are new");
  await until("the former one has ended", async () => (await world.acceptedBy("first")).length === 0, PATIENCE);
});

await test("passwords are added, removed at once, and replaced by one", async () => {
  await using world = await startGuarded(cluster, "several", 30);
  const { uid } = world;
  const accepted = async (): Promise<readonly string[]> => {
    const all = ["first", "added", "n3w"];
    const nodes = await Promise.all(all.map((password) => world.acceptedBy(password)));
    return all.filter((_, index) => nodes[index]?.length === 3);
  };
  const call = (route: "addPassword" | "removePassword" | "replacePasswords", password: string) =>
    cluster.client.call(route, { params: { uid }, body: { password } });
  await call("addPassword", "added");
  assert.deepEqual(await accepted(), ["first", "added"]);
  await call("removePassword", "first");
  assert.deepEqual(await accepted(), ["added"]);
  await assert.rejects(call("removePassword", "added"), /has no other password that stays/);
  await assert.rejects(call("removePassword", "first"), /does not accept this password/);
  await call("replacePasswords", NEW.password);
  assert.deepEqual(await accepted(), ["added", "n3w"]);
  await call("removePassword", "added");
  assert.deepEqual(await accepted(), ["n3w"]);
});

await test("a password changes in the middle of an upgrade of the database", async () => {
  await using world = await startGuardedUnderLoad(cluster, "moving", 10);
  await cluster.client.call("upgradeBdb", { params: { uid: world.uid }, body: { store_version: "8.0" } });
  await world.change({ authentication_redis_pass: "second" });
  assert.notEqual((await world.read()).redis_version, "8.0", "it still runs");
  assert.deepEqual(await world.acceptedBy("second"), NODES);
  await until("the upgrade is over", async () => (await world.read()).redis_version === "8.0", PATIENCE);
  await until("the former one has ended", async () => (await world.acceptedBy("first")).length === 0, PATIENCE);
  await world.finishUnharmed();
});

await test("from no password to one: clients without one come in until the overlap ends", async () => {
  await using world = await startGuarded(cluster, "open", 10, "");
  await world.change({ authentication_redis_pass: "second" });
  assert.deepEqual(await world.acceptedBy(""), NODES);
  assert.deepEqual(await world.acceptedBy("second"), NODES);
  await until("they do not any more", async () => (await world.acceptedBy("")).length === 0, PATIENCE);
});

await test("while a node of an older release runs, a password is not changed: it would not keep to the overlap", async () => {
  await using world = await startGuarded(cluster, "mixed", 15);
  const kube = connect(loadKubeConfig({ KUBECONFIG: cluster.kubeconfig }));
  const { rec, namespace } = cluster;
  const known = await kube.get(Leases, { name: clusterNames.nodeLease(rec, 1), namespace });
  const [[annotation = "", report = ""] = []] = Object.entries(known?.metadata.annotations ?? {});
  const older = JSON.stringify({ ...(JSON.parse(report) as object), capabilities: undefined });
  const metadata = { namespace, labels: known?.metadata.labels ?? {}, annotations: { [annotation]: older } };
  const name = clusterNames.nodeLease(rec, 9);
  await kube.create(Leases, { metadata: { ...metadata, name }, spec: known?.spec ?? {} });
  await until("it is known", async () => (await cluster.client.call("nodes")).some(({ uid }) => uid === 9), PATIENCE);
  await assert.rejects(world.change({ authentication_redis_pass: "second" }), /older release.*node 9/);
  await kube.delete(Leases, { name, namespace });
  await kube.close();
  const isChanged = () =>
    world.change({ authentication_redis_pass: "second" }).then(
      () => true,
      () => false,
    );
  await until("it is gone", isChanged, PATIENCE);
  assert.deepEqual(await world.acceptedBy("first"), NODES);
});

await test("no password is in a record or a log, and a wrong one leaves a line", async () => {
  await using world = await startGuarded(cluster, "quiet", 300, "hush-hush-1");
  await world.change({ authentication_redis_pass: "hush-hush-2" });
  assert.deepEqual(await world.acceptedBy("hush-hush-3"), []);
  const said = () => NODES.every((uid) => cluster.log(uid).includes(`"a login of a client failed"`));
  await until("each node has written it down", said, PATIENCE);
  const kube = connect(loadKubeConfig({ KUBECONFIG: cluster.kubeconfig }));
  const { namespace } = cluster;
  const objects = [await kube.list(ConfigMaps, { namespace }), await kube.list(Leases, { namespace })];
  await kube.close();
  const logs = NODES.map((uid) => cluster.log(uid)).join("");
  assert.match(JSON.stringify(objects), /overlapUntil/);
  for (const text of [JSON.stringify(objects), logs]) assert.doesNotMatch(text, /hush-hush|n3w/);
});
