import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { rawApi, type RawApi } from "../../test/kit/api-client.ts";

let api: RawApi;
before(async () => {
  api = await rawApi();
});
after(() => api[Symbol.asyncDispose]());

const MAPS = "/api/v1/namespaces/default/configmaps";
const PODS = "/api/v1/namespaces/default/pods";

function pod(name: string, spec: object = {}): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: { containers: [{ name: "main", image: "image:1" }], ...spec },
  };
}

test("an answer that the client does not accept is 406, and JSON is sent where it accepts several", async () => {
  const none = await api.send("GET", MAPS, { headers: { accept: "application/vnd.kubernetes.protobuf" } });
  assert.deepEqual([none.code, none.body.reason], [406, "NotAcceptable"]);
  const both = await api.send("GET", MAPS, {
    headers: { accept: "application/vnd.kubernetes.protobuf,application/json" },
  });
  assert.deepEqual([both.code, both.type], [200, "application/json"]);
});

test("status is written through its own subresource alone, generation counts the rest", async () => {
  const body = { ...pod("status"), status: { phase: "Running" } };
  const made = await api.send("POST", PODS, { body });
  assert.equal(made.body.status.phase, "Pending");
  const type = "application/merge-patch+json";
  const ignored = await api.send("PATCH", `${PODS}/status`, { type, body: { status: { phase: "Failed" } } });
  assert.equal(ignored.body.status.phase, "Pending");
  const patch = { spec: { nodeName: "x" }, status: { phase: "Running" } };
  const written = await api.send("PATCH", `${PODS}/status/status`, { type, body: patch });
  assert.deepEqual([written.body.status.phase, written.body.spec.nodeName], ["Running", undefined]);
  assert.equal(written.body.metadata.generation, made.body.metadata.generation);
});

test("a binding gives a pod its node, once", async () => {
  await api.send("POST", PODS, { body: pod("bound") });
  const body = { apiVersion: "v1", kind: "Binding", metadata: { name: "bound" }, target: { kind: "Node", name: "n1" } };
  assert.equal((await api.send("POST", `${PODS}/bound/binding`, { body })).code, 201);
  assert.equal((await api.send("GET", `${PODS}/bound`)).body.spec.nodeName, "n1");
  assert.equal((await api.send("POST", `${PODS}/bound/binding`, { body })).code, 409);
});

test("scale reads and writes the replicas, and counts as a change of the spec", async () => {
  const sets = "/apis/apps/v1/namespaces/default/statefulsets";
  const spec = {
    serviceName: "s",
    replicas: 2,
    selector: { matchLabels: { app: "s" } },
    template: { metadata: { labels: { app: "s" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  };
  await api.send("POST", sets, { body: { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "s" }, spec } });
  const scale = await api.send("GET", `${sets}/s/scale`);
  assert.deepEqual([scale.body.kind, scale.body.spec.replicas, scale.body.status.selector], ["Scale", 2, "app=s"]);
  const put = await api.send("PUT", `${sets}/s/scale`, { body: { ...scale.body, spec: { replicas: 5 } } });
  assert.equal(put.body.spec.replicas, 5);
  const stale = await api.send("PUT", `${sets}/s/scale`, { body: { ...scale.body, spec: { replicas: 6 } } });
  assert.equal(stale.code, 409);
  const set = await api.send("GET", `${sets}/s`);
  assert.deepEqual([set.body.spec.replicas, set.body.metadata.generation], [5, 2]);
  const wrong = { spec: { serviceName: "other" } };
  const immutable = await api.send("PATCH", `${sets}/s`, { type: "application/merge-patch+json", body: wrong });
  assert.equal(immutable.code, 422);
  assert.match(immutable.body.message, /updates to statefulset spec for fields other than 'replicas'/);
});

test("services get addresses of the range, each its own, and keep them", async () => {
  const services = "/api/v1/namespaces/default/services";
  const service = (name: string, spec: object = {}): object => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: { ports: [{ port: 80 }], ...spec },
  });
  const [a, b] = await Promise.all(["sa", "sb"].map((name) => api.send("POST", services, { body: service(name) })));
  assert.match(a?.body.spec.clusterIP, /^127\.96\.0\.\d+$/);
  assert.notEqual(a?.body.spec.clusterIP, b?.body.spec.clusterIP);
  assert.deepEqual(a?.body.spec.ports, [{ port: 80, protocol: "TCP", targetPort: 80 }]);
  const kept = await api.send("PUT", `${services}/sa`, { body: service("sa", { selector: { app: "x" } }) });
  assert.equal(kept.body.spec.clusterIP, a?.body.spec.clusterIP);
  const taken = await api.send("POST", services, { body: service("sc", { clusterIP: a?.body.spec.clusterIP }) });
  assert.match(taken.body.message, /provided IP is already allocated/);
  const headless = await api.send("POST", services, { body: service("sh", { clusterIP: "None" }) });
  assert.equal(headless.body.spec.clusterIP, "None");
});

test("exec is not offered, and says why", async () => {
  const { code, body } = await api.send("POST", `${PODS}/a/exec`);
  assert.deepEqual([code, body.reason], [501, "NotImplemented"]);
  assert.match(body.message, /pods\/exec is not offered/);
});
