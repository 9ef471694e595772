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

function map(name: string, data: Record<string, string> = {}, metadata: object = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

function pod(name: string, spec: object = {}): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: { containers: [{ name: "main", image: "image:1" }], ...spec },
  };
}

test("an object is created, read, replaced and deleted", async () => {
  const made = await api.send("POST", MAPS, { body: map("life", { a: "1" }) });
  assert.equal(made.code, 201);
  assert.match(made.body.metadata.uid, /^[0-9a-f-]{36}$/);
  assert.match(made.body.metadata.creationTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.equal(made.body.metadata.namespace, "default");

  const read = await api.send("GET", `${MAPS}/life`);
  assert.deepEqual(read.body, made.body);

  const replaced = await api.send("PUT", `${MAPS}/life`, { body: { ...made.body, data: { a: "2" } } });
  assert.equal(replaced.code, 200);
  assert.ok(Number(replaced.body.metadata.resourceVersion) > Number(made.body.metadata.resourceVersion));
  assert.equal(replaced.body.metadata.uid, made.body.metadata.uid);

  const deleted = await api.send("DELETE", `${MAPS}/life`);
  assert.deepEqual(
    [deleted.code, deleted.body.status, deleted.body.details.uid],
    [200, "Success", made.body.metadata.uid],
  );
  const gone = await api.send("GET", `${MAPS}/life`);
  assert.deepEqual([gone.code, gone.body.reason, gone.body.message], [404, "NotFound", 'configmaps "life" not found']);
});

test("a write that changes nothing keeps the resourceVersion", async () => {
  const made = await api.send("POST", MAPS, { body: map("same", { a: "1" }) });
  const again = await api.send("PUT", `${MAPS}/same`, { body: made.body });
  assert.equal(again.body.metadata.resourceVersion, made.body.metadata.resourceVersion);
});

test("of two writers with one version the second gets 409", async () => {
  const made = await api.send("POST", MAPS, { body: map("raced", { a: "1" }) });
  const answers = await Promise.all(
    ["2", "3"].map((a) => api.send("PUT", `${MAPS}/raced`, { body: { ...made.body, data: { a } } })),
  );
  assert.deepEqual(answers.map(({ code }) => code).sort(), [200, 409]);
  const refused = answers.find(({ code }) => code === 409);
  assert.equal(refused?.body.reason, "Conflict");
  assert.match(
    refused?.body.message,
    /Operation cannot be fulfilled on configmaps "raced": the object has been modified/,
  );
});

test("patches without a version all take place, however many come at once", async () => {
  await api.send("POST", MAPS, { body: map("busy") });
  const type = "application/merge-patch+json";
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      api.send("PATCH", `${MAPS}/busy`, { type, body: { data: { [`k${n}`]: "v" } } }),
    ),
  );
  assert.ok(answers.every(({ code }) => code === 200));
  assert.equal(Object.keys((await api.send("GET", `${MAPS}/busy`)).body.data).length, 20);
});

const refused: readonly [
  rule: string,
  method: string,
  path: string,
  body: unknown,
  code: number,
  reason: string,
  message: RegExp,
][] = [
  [
    "a taken name",
    "POST",
    MAPS,
    map("kube-root-ca.crt"),
    409,
    "AlreadyExists",
    /configmaps "kube-root-ca.crt" already exists/,
  ],
  [
    "a name in capitals",
    "POST",
    MAPS,
    map("Wrong"),
    422,
    "Invalid",
    /metadata.name: Invalid value: "Wrong": a lowercase RFC 1123 subdomain/,
  ],
  ["no name", "POST", MAPS, map(""), 422, "Invalid", /name or generateName is required/],
  [
    "a namespace that is not there",
    "POST",
    MAPS.replace("default", "nowhere"),
    map("a"),
    404,
    "NotFound",
    /namespaces "nowhere" not found/,
  ],
  [
    "another namespace than the path's",
    "POST",
    MAPS,
    map("a", {}, { namespace: "x" }),
    400,
    "BadRequest",
    /x is not default/,
  ],
  ["another kind", "POST", MAPS, { ...map("a"), kind: "Secret" }, 400, "BadRequest", /"Secret".*"ConfigMap"/],
  [
    "a value of the wrong type",
    "POST",
    MAPS,
    map("a", { x: 1 } as never),
    422,
    "Invalid",
    /data\.x: Invalid value: "integer"/,
  ],
  ["no JSON", "POST", MAPS, "{", 400, "BadRequest", /not valid application\/json/],
  ["a list", "POST", MAPS, [], 400, "BadRequest", /is no object/],
  [
    "a resource that is not served",
    "GET",
    "/apis/apps/v1/nothing",
    undefined,
    404,
    "NotFound",
    /could not find the requested resource/,
  ],
  [
    "a subresource that is not served",
    "GET",
    `${MAPS}/a/status`,
    undefined,
    404,
    "NotFound",
    /could not find the requested resource/,
  ],
  [
    "a name where a collection belongs",
    "POST",
    `${MAPS}/a`,
    map("a"),
    405,
    "MethodNotAllowed",
    /created at its collection/,
  ],
  ["a replacement without a name", "PUT", MAPS, map("a"), 405, "MethodNotAllowed", /does not allow this method/],
  ["exec", "POST", `${PODS}/a/exec`, undefined, 501, "NotImplemented", /pods\/exec is not offered/],
  [
    "the deletion of the namespace default",
    "DELETE",
    "/api/v1/namespaces/default",
    undefined,
    403,
    "Forbidden",
    /may not be deleted/,
  ],
  [
    "a list from the future",
    "GET",
    `${MAPS}?resourceVersion=999999999`,
    undefined,
    504,
    "Timeout",
    /Too large resource version/,
  ],
  [
    "an unknown field selector",
    "GET",
    `${MAPS}?fieldSelector=data.x%3D1`,
    undefined,
    400,
    "BadRequest",
    /field label not supported: data.x/,
  ],
];
for (const [rule, method, path, body, code, reason, message] of refused) {
  test(`${rule} is refused with ${code}`, async () => {
    const answer = await api.send(method, path, body === undefined ? {} : { body });
    assert.deepEqual([answer.code, answer.body.kind, answer.body.reason], [code, "Status", reason], answer.text);
    assert.match(answer.body.message, message);
  });
}

test("bodies of a foreign type get 415, of more than 3 MiB 413", async () => {
  const xml = await api.send("POST", MAPS, { body: "<a/>", type: "text/xml" });
  assert.deepEqual([xml.code, xml.body.reason], [415, "UnsupportedMediaType"]);
  const large = await api.send("POST", MAPS, { body: map("large", { a: "x".repeat(3 * 1024 * 1024) }) });
  assert.deepEqual([large.code, large.body.reason], [413, "RequestEntityTooLarge"]);
});

test("an answer that the client does not accept is 406, and JSON is sent where it accepts several", async () => {
  const none = await api.send("GET", MAPS, { headers: { accept: "application/vnd.kubernetes.protobuf" } });
  assert.deepEqual([none.code, none.body.reason], [406, "NotAcceptable"]);
  const both = await api.send("GET", MAPS, {
    headers: { accept: "application/vnd.kubernetes.protobuf,application/json" },
  });
  assert.deepEqual([both.code, both.type], [200, "application/json"]);
});

test("an unknown field is dropped with a warning, refused when strict, ignored when told so", async () => {
  const body = { ...map("odd"), nope: 1 };
  const strict = await api.send("POST", `${MAPS}?fieldValidation=Strict`, { body });
  assert.equal(strict.code, 400);
  assert.match(String(strict.body.message), /strict decoding error: unknown field "nope"$/);
  const warned = await api.send("POST", `${MAPS}?dryRun=All`, { body });
  assert.deepEqual([warned.code, warned.body.nope], [201, undefined]);
  assert.deepEqual(warned.warnings, ['299 - "unknown field \\"nope\\""']);
  const ignored = await api.send("POST", `${MAPS}?dryRun=All&fieldValidation=Ignore`, { body });
  assert.deepEqual([ignored.code, ignored.warnings], [201, []]);
});

test("dryRun tells what would happen and stores nothing", async () => {
  const made = await api.send("POST", `${MAPS}?dryRun=All`, { body: map("dry") });
  assert.deepEqual([made.code, made.body.metadata.resourceVersion], [201, undefined]);
  assert.equal((await api.send("GET", `${MAPS}/dry`)).code, 404);
  await api.send("POST", MAPS, { body: map("dry", { a: "1" }) });
  const type = "application/merge-patch+json";
  const patched = await api.send("PATCH", `${MAPS}/dry?dryRun=All`, { type, body: { data: { a: "2" } } });
  assert.equal(patched.body.data.a, "2");
  assert.equal((await api.send("DELETE", `${MAPS}/dry?dryRun=All`)).code, 200);
  assert.equal((await api.send("GET", `${MAPS}/dry`)).body.data.a, "1");
});

test("generateName makes a name, each time another", async () => {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } };
  const [a, b] = await Promise.all([api.send("POST", MAPS, { body }), api.send("POST", MAPS, { body })]);
  assert.match(a.body.metadata.name, /^made-[a-z0-9]{5}$/);
  assert.notEqual(a.body.metadata.name, b.body.metadata.name);
});

test("finalizers hold a deleted object until they are gone", async () => {
  const made = await api.send("POST", MAPS, { body: map("held", {}, { finalizers: ["example.io/hold"] }) });
  const deleted = await api.send("DELETE", `${MAPS}/held`);
  assert.match(deleted.body.metadata.deletionTimestamp, /^\d{4}-/);
  assert.equal(deleted.body.metadata.deletionGracePeriodSeconds, 0);
  const type = "application/merge-patch+json";
  const more = { metadata: { finalizers: ["example.io/hold", "example.io/more"] } };
  assert.equal((await api.send("PATCH", `${MAPS}/held`, { type, body: more })).code, 422);
  assert.equal((await api.send("PATCH", `${MAPS}/held`, { type, body: { metadata: { finalizers: null } } })).code, 200);
  assert.equal((await api.send("GET", `${MAPS}/held`)).code, 404);
  assert.equal(
    (await api.send("POST", MAPS, { body: map("held") })).body.metadata.uid === made.body.metadata.uid,
    false,
  );
});

test("a delete with a precondition that does not hold is a conflict", async () => {
  const { body } = await api.send("POST", MAPS, { body: map("sure") });
  for (const preconditions of [{ uid: "other" }, { resourceVersion: "1" }]) {
    const refusedDelete = await api.send("DELETE", `${MAPS}/sure`, { body: { preconditions } });
    assert.deepEqual([refusedDelete.code, refusedDelete.body.reason], [409, "Conflict"]);
  }
  const preconditions = { uid: body.metadata.uid, resourceVersion: body.metadata.resourceVersion };
  assert.equal((await api.send("DELETE", `${MAPS}/sure`, { body: { preconditions } })).code, 200);
});

test("the propagation policy becomes a finalizer for the garbage collector", async () => {
  for (const [propagationPolicy, finalizer] of [
    ["Foreground", "foregroundDeletion"],
    ["Orphan", "orphan"],
  ] as const) {
    await api.send("POST", MAPS, { body: map(finalizer.toLowerCase()) });
    const { body } = await api.send("DELETE", `${MAPS}/${finalizer.toLowerCase()}`, { body: { propagationPolicy } });
    assert.deepEqual(body.metadata.finalizers, [finalizer]);
  }
});

test("a pod on a node ends gracefully: marked first, gone when the kubelet deletes it with grace 0", async () => {
  await api.send("POST", PODS, { body: pod("graceful", { nodeName: "n1", terminationGracePeriodSeconds: 7 }) });
  const first = await api.send("DELETE", `${PODS}/graceful`);
  assert.equal(first.body.metadata.deletionGracePeriodSeconds, 7);
  const sooner = await api.send("DELETE", `${PODS}/graceful?gracePeriodSeconds=3`);
  assert.equal(sooner.body.metadata.deletionGracePeriodSeconds, 3);
  const later = await api.send("DELETE", `${PODS}/graceful?gracePeriodSeconds=60`);
  assert.equal(later.body.metadata.deletionTimestamp, sooner.body.metadata.deletionTimestamp);
  await api.send("DELETE", `${PODS}/graceful`, { body: { gracePeriodSeconds: 0 } });
  assert.equal((await api.send("GET", `${PODS}/graceful`)).code, 404);
});

test("a pod that was never bound goes at once", async () => {
  await api.send("POST", PODS, { body: pod("unbound") });
  await api.send("DELETE", `${PODS}/unbound`);
  assert.equal((await api.send("GET", `${PODS}/unbound`)).code, 404);
});

test("deletecollection takes what the selector selects", async () => {
  for (const [name, tier] of [
    ["c1", "a"],
    ["c2", "a"],
    ["c3", "b"],
  ] as const) {
    await api.send("POST", MAPS, { body: map(name, {}, { labels: { tier } }) });
  }
  const { body } = await api.send("DELETE", `${MAPS}?labelSelector=tier%3Da`);
  assert.deepEqual(names(body), ["c1", "c2"]);
  assert.deepEqual(names((await api.send("GET", `${MAPS}?labelSelector=tier`)).body), ["c3"]);
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

function names(list: { items: { metadata: { name: string } }[] }): string[] {
  return list.items.map(({ metadata }) => metadata.name);
}
