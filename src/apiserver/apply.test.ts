import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { rawApi, type Answer, type RawApi } from "../../test/kit/api-client.ts";

let api: RawApi;
before(async () => {
  api = await rawApi();
});
after(() => api[Symbol.asyncDispose]());

const MAPS = "/api/v1/namespaces/default/configmaps";
const APPLY = "application/apply-patch+yaml";

function apply(name: string, manager: string, data: string, more = ""): Promise<Answer> {
  const body = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata: ${data}\n`;
  return api.send("PATCH", `${MAPS}/${name}?fieldManager=${manager}${more}`, { type: APPLY, body });
}

test("server-side apply creates, then changes, then leaves alone", async () => {
  const made = await apply("life", "me", "{ a: '1' }");
  assert.deepEqual([made.code, made.body.data], [201, { a: "1" }]);
  const [owner] = made.body.metadata.managedFields;
  assert.deepEqual([owner.manager, owner.operation, owner.apiVersion], ["me", "Apply", "v1"]);
  const changed = await apply("life", "me", "{ b: '2' }");
  assert.deepEqual([changed.code, changed.body.data], [200, { b: "2" }]);
  const same = await apply("life", "me", "{ b: '2' }");
  assert.equal(same.body.metadata.resourceVersion, changed.body.metadata.resourceVersion);
});

test("a field that another owns is a conflict that names owner and field, unless forced", async () => {
  await apply("owned", "first", "{ a: '1' }");
  const refused = await apply("owned", "second", "{ a: '2' }");
  assert.deepEqual([refused.code, refused.body.reason], [409, "Conflict"]);
  assert.deepEqual(refused.body.details.causes, [
    { reason: "FieldManagerConflict", message: 'conflict with "first"', field: ".data.a" },
  ]);
  const forced = await apply("owned", "second", "{ a: '2' }", "&force=true");
  assert.equal(forced.body.data.a, "2");
});

test("an update takes over what it changes", async () => {
  const { body } = await apply("mixed", "first", "{ a: '1', b: '1' }");
  await api.send("PUT", `${MAPS}/mixed?fieldManager=editor`, { body: { ...body, data: { a: "2", b: "1" } } });
  assert.equal((await apply("mixed", "first", "{ a: '1', b: '1' }")).code, 409);
  assert.equal((await apply("mixed", "first", "{ b: '3' }")).body.data.a, "2");
});

test("apply without a manager, or of another object, is refused", async () => {
  const nameless = await api.send("PATCH", `${MAPS}/x`, { type: APPLY, body: "apiVersion: v1\nkind: ConfigMap\n" });
  assert.deepEqual([nameless.code, nameless.body.details.causes[0].field], [422, "fieldManager"]);
  const body = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: other }\n";
  assert.equal((await api.send("PATCH", `${MAPS}/x?fieldManager=me`, { type: APPLY, body })).code, 400);
  const broken = await api.send("PATCH", `${MAPS}/x?fieldManager=me`, { type: APPLY, body: "a: [" });
  assert.equal(broken.code, 400);
});

test("an applied status belongs to the status subresource alone", async () => {
  const pods = "/api/v1/namespaces/default/pods";
  await api.send("POST", pods, {
    body: { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } },
  });
  const body = "apiVersion: v1\nkind: Pod\nmetadata: { name: p }\nstatus: { phase: Running }\n";
  const { body: applied } = await api.send("PATCH", `${pods}/p/status?fieldManager=kubelet`, { type: APPLY, body });
  assert.equal(applied.status.phase, "Running");
  const entry = applied.metadata.managedFields.find(({ manager }: { manager: string }) => manager === "kubelet");
  assert.deepEqual([entry.subresource, entry.operation], ["status", "Apply"]);
});

test("JSON patches can test before they change", async () => {
  await api.send("POST", MAPS, { body: { metadata: { name: "json" }, data: { a: "1" } } });
  const type = "application/json-patch+json";
  const patch = (value: string): Promise<Answer> =>
    api.send("PATCH", `${MAPS}/json`, {
      type,
      body: [
        { op: "test", path: "/data/a", value },
        { op: "replace", path: "/data/a", value: "2" },
      ],
    });
  assert.equal((await patch("x")).code, 422);
  assert.equal((await patch("1")).body.data.a, "2");
  assert.equal((await api.send("PATCH", `${MAPS}/json`, { type, body: { op: "remove" } })).code, 400);
});

test("strategic patches merge lists by their keys", async () => {
  const path = "/apis/apps/v1/namespaces/default/deployments";
  const template = {
    metadata: { labels: { app: "d" } },
    spec: {
      containers: [
        { name: "a", image: "a:1" },
        { name: "b", image: "b:1" },
      ],
    },
  };
  const spec = { selector: { matchLabels: { app: "d" } }, template };
  await api.send("POST", path, { body: { metadata: { name: "d" }, spec } });
  const body = { spec: { template: { spec: { containers: [{ name: "b", image: "b:2" }] } } } };
  const answer = await api.send("PATCH", `${path}/d`, { type: "application/strategic-merge-patch+json", body });
  assert.deepEqual(answer.body.spec.template.spec.containers.map(({ image }: { image: string }) => image).sort(), [
    "a:1",
    "b:2",
  ]);
  assert.equal(answer.body.metadata.generation, 2);
});

test("a patch that carries an old resourceVersion is a conflict", async () => {
  const { body } = await api.send("POST", MAPS, { body: { metadata: { name: "versioned" } } });
  const { resourceVersion } = body.metadata;
  const type = "application/merge-patch+json";
  const patch = { metadata: { resourceVersion }, data: { a: "1" } };
  assert.equal((await api.send("PATCH", `${MAPS}/versioned`, { type, body: patch })).code, 200);
  assert.equal(
    (await api.send("PATCH", `${MAPS}/versioned`, { type, body: { ...patch, data: { a: "2" } } })).code,
    409,
  );
});
