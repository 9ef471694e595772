import assert from "node:assert/strict";
import { configMap, PATCH } from "./objects.ts";
import type { Rule, RuleSet } from "./rule-set.ts";

/** Create, read, replace, delete; who may come second; dry runs; unknown fields. */
export const writes: RuleSet = {
  title: "writes",
  rules: [objectRules, concurrencyRules, namingRules, fieldRules, serverFieldRules],
};

function objectRules(rule: Rule): void {
  rule("an object is created, read, replaced and deleted", async ({ at, send, namespace }) => {
    const made = await send("POST", at("configmaps"), { body: configMap("life", {}, { data: { a: "1" } }) });
    assert.equal(made.code, 201);
    assert.match(made.body.metadata.uid, /^[0-9a-f-]{36}$/);
    assert.match(made.body.metadata.creationTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal(made.body.metadata.namespace, namespace);
    assert.deepEqual((await send("GET", at("configmaps", "life"))).body, made.body);

    const replaced = await send("PUT", at("configmaps", "life"), { body: { ...made.body, data: { a: "2" } } });
    assert.deepEqual([replaced.code, replaced.body.data], [200, { a: "2" }]);
    assert.ok(BigInt(replaced.body.metadata.resourceVersion) > BigInt(made.body.metadata.resourceVersion));
    assert.equal(replaced.body.metadata.uid, made.body.metadata.uid);

    const deleted = await send("DELETE", at("configmaps", "life"));
    assert.deepEqual([deleted.code, deleted.body.status], [200, "Success"]);
    assert.deepEqual(deleted.body.details, { name: "life", kind: "configmaps", uid: made.body.metadata.uid });
    const gone = await send("GET", at("configmaps", "life"));
    assert.deepEqual(
      [gone.code, gone.body.reason, gone.body.message],
      [404, "NotFound", 'configmaps "life" not found'],
    );
    assert.deepEqual(gone.body.details, { name: "life", kind: "configmaps" });
  });

  rule("a write that changes nothing keeps the resourceVersion", async ({ at, send }) => {
    const made = await send("POST", at("configmaps"), { body: configMap("same") });
    const again = await send("PUT", at("configmaps", "same"), { body: made.body });
    assert.equal(again.body.metadata.resourceVersion, made.body.metadata.resourceVersion);
    const patched = await send("PATCH", at("configmaps", "same"), { type: PATCH.merge, body: {} });
    assert.equal(patched.body.metadata.resourceVersion, made.body.metadata.resourceVersion);
  });
}

function concurrencyRules(rule: Rule): void {
  rule("of two writers with one version the second gets a conflict", async ({ at, send }) => {
    const made = await send("POST", at("configmaps"), { body: configMap("raced") });
    const answers = await Promise.all(
      ["2", "3"].map((a) => send("PUT", at("configmaps", "raced"), { body: { ...made.body, data: { a } } })),
    );
    assert.deepEqual(answers.map(({ code }) => code).sort(), [200, 409]);
    const refused = answers.find(({ code }) => code === 409)?.body;
    assert.deepEqual([refused.reason, refused.details], ["Conflict", { name: "raced", kind: "configmaps" }]);
    assert.match(
      refused.message,
      /Operation cannot be fulfilled on configmaps "raced": the object has been modified; please apply your changes to the latest version and try again/,
    );
  });

  rule("an update with the uid of another object is a conflict", async ({ at, send }) => {
    const { body } = await send("POST", at("configmaps"), { body: configMap("twin") });
    const uid = "00000000-0000-4000-8000-000000000000";
    const answer = await send("PUT", at("configmaps", "twin"), {
      body: { ...body, metadata: { ...body.metadata, uid } },
    });
    assert.deepEqual([answer.code, answer.body.reason], [409, "Conflict"]);
  });

  rule("patches without a version all take place, however many come at once", async ({ at, send }) => {
    await send("POST", at("configmaps"), { body: configMap("busy") });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        send("PATCH", at("configmaps", "busy"), { type: PATCH.merge, body: { data: { [`k${n}`]: "v" } } }),
      ),
    );
    assert.deepEqual([...new Set(answers.map(({ code }) => code))], [200]);
    assert.equal(Object.keys((await send("GET", at("configmaps", "busy"))).body.data).length, 20);
  });
}

function namingRules(rule: Rule): void {
  rule("generateName makes a name, each time another", async ({ at, send }) => {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } };
    const [a, b] = await Promise.all([
      send("POST", at("configmaps"), { body }),
      send("POST", at("configmaps"), { body }),
    ]);
    assert.match(a.body.metadata.name, /^made-[a-z0-9]{5}$/);
    assert.equal(a.body.metadata.generateName, "made-");
    assert.notEqual(a.body.metadata.name, b.body.metadata.name);
  });

  rule("dryRun answers what would happen and stores nothing", async ({ at, send }) => {
    const made = await send("POST", `${at("configmaps")}?dryRun=All`, { body: configMap("dry") });
    assert.deepEqual([made.code, made.body.metadata.resourceVersion], [201, undefined]);
    assert.equal((await send("GET", at("configmaps", "dry"))).code, 404);
    await send("POST", at("configmaps"), { body: configMap("dry", {}, { data: { a: "1" } }) });
    const dry = `${at("configmaps", "dry")}?dryRun=All`;
    const patched = await send("PATCH", dry, { type: PATCH.merge, body: { data: { a: "2" } } });
    assert.equal(patched.body.data.a, "2");
    assert.equal((await send("DELETE", dry)).code, 200);
    assert.equal((await send("GET", at("configmaps", "dry"))).body.data.a, "1");
    const wrong = await send("POST", `${at("configmaps")}?dryRun=Some`, { body: configMap("dry-too") });
    assert.equal(wrong.code, 422);
    assert.match(wrong.body.message, /dryRun: Unsupported value: \[\]string\{"Some"\}: supported values: "All"/);
  });
}

function fieldRules(rule: Rule): void {
  rule("an unknown field is dropped with a warning, refused when strict, ignored when asked for", async (context) => {
    const { at, send } = context;
    const body = configMap("odd", {}, { nope: 1 });
    const strict = await send("POST", `${at("configmaps")}?fieldValidation=Strict`, { body });
    assert.equal(strict.code, 400);
    assert.match(strict.body.message, /strict decoding error: unknown field "nope"$/);
    const warned = await send("POST", `${at("configmaps")}?dryRun=All`, { body });
    assert.deepEqual([warned.code, warned.body.nope], [201, undefined]);
    assert.deepEqual(warned.warnings, ['299 - "unknown field \\"nope\\""']);
    const ignored = await send("POST", `${at("configmaps")}?dryRun=All&fieldValidation=Ignore`, { body });
    assert.deepEqual([ignored.code, ignored.warnings], [201, []]);
    const wrong = await send("POST", `${at("configmaps")}?fieldValidation=Some`, { body });
    assert.equal(wrong.code, 422);
    assert.match(wrong.body.message, /fieldValidation: Unsupported value: "Some"/);
  });

  rule("a field that is written twice is a warning, refused when strict", async ({ at, send }) => {
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}';
    const strict = await send("POST", `${at("configmaps")}?fieldValidation=Strict`, { body });
    assert.equal(strict.code, 400);
    assert.match(strict.body.message, /strict decoding error: duplicate field "data\.a"$/);
    const warned = await send("POST", at("configmaps"), { body });
    assert.deepEqual([warned.code, warned.body.data], [201, { a: "2" }]);
    assert.deepEqual(warned.warnings, ['299 - "duplicate field \\"data.a\\""']);
  });
}

function serverFieldRules(rule: Rule): void {
  rule("fields that only the server sets are set by the server", async ({ at, send }) => {
    const metadata = { uid: "mine", creationTimestamp: "2001-01-01T00:00:00Z", selfLink: "/x" };
    const { code, body } = await send("POST", at("configmaps"), {
      body: { metadata: { name: "decided", ...metadata } },
    });
    assert.equal(code, 201);
    assert.notEqual(body.metadata.uid, "mine");
    assert.notEqual(body.metadata.creationTimestamp, metadata.creationTimestamp);
    assert.equal(body.metadata.selfLink, undefined);
    const versioned = await send("POST", at("configmaps"), {
      body: { metadata: { name: "versioned", resourceVersion: "7" } },
    });
    assert.equal(versioned.body.message, "resourceVersion should not be set on objects to be created");
  });

  rule("an object that is marked immutable stays as it is", async ({ at, send }) => {
    await send("POST", at("configmaps"), { body: configMap("fixed", {}, { data: { a: "1" }, immutable: true }) });
    const patch = (body: object) => send("PATCH", at("configmaps", "fixed"), { type: PATCH.merge, body });
    const data = await patch({ data: { a: "2" } });
    assert.equal(data.code, 422);
    assert.match(data.body.message, /data: Forbidden: field is immutable when `immutable` is set/);
    assert.equal((await patch({ immutable: false })).code, 422);
    assert.equal((await patch({ metadata: { labels: { a: "b" } } })).code, 200);
  });
}
