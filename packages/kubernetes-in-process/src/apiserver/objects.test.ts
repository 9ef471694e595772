import assert from "node:assert/strict";
import { test } from "node:test";
import { rawApi } from "../testing/api-client.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const PODS = "/api/v1/namespaces/default/pods";

test("an answer that the client does not accept is 406, and JSON is sent where it accepts several", async () => {
  await using api = await rawApi();
  const none = await api.send("GET", MAPS, { headers: { accept: "application/vnd.kubernetes.protobuf" } });
  assert.deepEqual([none.code, none.body.reason], [406, "NotAcceptable"]);
  const both = await api.send("GET", MAPS, {
    headers: { accept: "application/vnd.kubernetes.protobuf,application/json" },
  });
  assert.deepEqual([both.code, both.type], [200, "application/json"]);
});

test("services get addresses of the range, each its own, and keep them", async () => {
  await using api = await rawApi();
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
  await using api = await rawApi();
  const { code, body } = await api.send("POST", `${PODS}/a/exec`);
  assert.deepEqual([code, body.reason], [501, "NotImplemented"]);
  assert.match(body.message, /pods\/exec is not offered/);
});
