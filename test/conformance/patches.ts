import assert from "node:assert/strict";
import type { Answer } from "#kubernetes/testing/api-client";
import { configMap, PATCH, workload } from "./objects.ts";
import type { Rule, RuleContext, RuleSet } from "./rule-set.ts";

/** The four kinds of patches, and who owns which field after them. */
export const patches: RuleSet = {
  title: "patches",
  rules: [plainRules, refusalRules, applyRules, ownershipRules, applyRefusalRules],
};

function plainRules(rule: Rule): void {
  rule("a merge patch sets, and removes what it gives as null", async ({ at, send }) => {
    await send("POST", at("configmaps"), { body: configMap("merged", {}, { data: { a: "1", b: "2" } }) });
    const body = { data: { a: null, c: "3" } };
    const { body: merged } = await send("PATCH", at("configmaps", "merged"), { type: PATCH.merge, body });
    assert.deepEqual(merged.data, { b: "2", c: "3" });
  });

  rule("a JSON patch tests before it changes", async ({ at, send }) => {
    await send("POST", at("configmaps"), { body: configMap("json", { set: "json" }, { data: { a: "1" } }) });
    const patch = (body: unknown) => send("PATCH", at("configmaps", "json"), { type: PATCH.json, body });
    const change = (value: string) =>
      patch([
        { op: "test", path: "/data/a", value },
        { op: "replace", path: "/data/a", value: "2" },
      ]);
    const refused = await change("x");
    assert.deepEqual([refused.code, refused.body.reason], [422, "Invalid"]);
    assert.equal((await change("1")).body.data.a, "2");
    assert.equal((await patch({ op: "remove" })).code, 400);
    assert.equal((await patch([{ op: "remove", path: "/data/none" }])).code, 422);
    const added = await patch([
      { op: "add", path: "/metadata/labels/example.io~1tier", value: "gold" },
      { op: "move", from: "/data/a", path: "/data/b" },
    ]);
    assert.deepEqual(
      [added.body.metadata.labels, added.body.data],
      [{ set: "json", "example.io/tier": "gold" }, { b: "2" }],
    );
  });

  rule(
    "a strategic patch merges lists by their keys, deletes by $patch, and counts as one generation",
    async (context) => {
      const { at, send } = context;
      await send("POST", at("apps/v1/deployments"), { body: workload("Deployment", "merged", ["a", "b"]) });
      const patch = async (containers: unknown): Promise<{ images: string[]; generation: number }> => {
        const body = { spec: { template: { spec: { containers } } } };
        const answer = await send("PATCH", at("apps/v1/deployments", "merged"), { type: PATCH.strategic, body });
        const list: { image: string }[] = answer.body.spec.template.spec.containers;
        return { images: list.map(({ image }) => image).sort(), generation: answer.body.metadata.generation };
      };
      assert.deepEqual(await patch([{ name: "b", image: "b:2" }]), { images: ["a:1", "b:2"], generation: 2 });
      assert.deepEqual(await patch([{ name: "a", $patch: "delete" }]), { images: ["b:2"], generation: 3 });
    },
  );
}

function refusalRules(rule: Rule): void {
  rule("a patch that carries an old resourceVersion is a conflict", async ({ at, send }) => {
    const { body } = await send("POST", at("configmaps"), { body: configMap("versioned") });
    const { resourceVersion } = body.metadata;
    const patch = (data: object) =>
      send("PATCH", at("configmaps", "versioned"), {
        type: PATCH.merge,
        body: { metadata: { resourceVersion }, data },
      });
    assert.equal((await patch({ a: "1" })).code, 200);
    assert.deepEqual([(await patch({ a: "2" })).code, (await patch({ a: "2" })).body.reason], [409, "Conflict"]);
  });

  rule("a patch of an unknown type is 415", async ({ at, send }) => {
    const answer = await send("PATCH", at("configmaps", "kube-root-ca.crt"), { body: {} });
    assert.deepEqual([answer.code, answer.body.reason], [415, "UnsupportedMediaType"]);
  });

  rule("a patch cannot rename an object", async ({ at, send }) => {
    await send("POST", at("configmaps"), { body: configMap("named") });
    const body = { metadata: { name: "other" } };
    const { code, body: refused } = await send("PATCH", at("configmaps", "named"), { type: PATCH.merge, body });
    assert.deepEqual([code, refused.reason], [400, "BadRequest"]);
    assert.match(refused.message, /the name of the object \(other\) does not match the name on the URL \(named\)/);
  });
}

function applyRules(rule: Rule): void {
  rule("server-side apply creates, then changes, then leaves alone", async (context) => {
    const made = await apply(context, "life", "me", { a: "1" });
    assert.deepEqual([made.code, made.body.data], [201, { a: "1" }]);
    const [owner] = made.body.metadata.managedFields;
    const { manager, operation, apiVersion, fieldsType, fieldsV1 } = owner;
    assert.deepEqual([manager, operation, apiVersion, fieldsType], ["me", "Apply", "v1", "FieldsV1"]);
    assert.deepEqual(fieldsV1, { "f:data": { "f:a": {} } });
    const changed = await apply(context, "life", "me", { b: "2" });
    assert.deepEqual([changed.code, changed.body.data], [200, { b: "2" }]);
    const same = await apply(context, "life", "me", { b: "2" });
    assert.equal(same.body.metadata.resourceVersion, changed.body.metadata.resourceVersion);
  });

  rule("a field that another owns is a conflict that names owner and field, unless forced", async (context) => {
    await apply(context, "owned", "first", { a: "1" });
    const refused = await apply(context, "owned", "second", { a: "2" });
    assert.deepEqual([refused.code, refused.body.reason], [409, "Conflict"]);
    assert.equal(refused.body.message, 'Apply failed with 1 conflict: conflict with "first": .data.a');
    assert.deepEqual(refused.body.details.causes, [
      { reason: "FieldManagerConflict", message: 'conflict with "first"', field: ".data.a" },
    ]);
    const forced = await apply(context, "owned", "second", { a: "2" }, "&force=true");
    assert.equal(forced.body.data.a, "2");
    assert.deepEqual(
      forced.body.metadata.managedFields.map(({ manager }: { manager: string }) => manager),
      ["second"],
    );
  });
}

function ownershipRules(rule: Rule): void {
  rule("a value that two managers share stays until the last gives it up", async (context) => {
    await apply(context, "shared", "one", { a: "1", b: "1" });
    await apply(context, "shared", "two", { a: "1" });
    assert.deepEqual((await apply(context, "shared", "one", {})).body.data, { a: "1" });
    assert.deepEqual((await apply(context, "shared", "two", {})).body.data ?? {}, {});
  });

  rule("an update takes over what it changes", async (context) => {
    const { at, send } = context;
    const { body } = await apply(context, "mixed", "first", { a: "1", b: "1" });
    const put = `${at("configmaps", "mixed")}?fieldManager=editor`;
    const { body: edited } = await send("PUT", put, { body: { ...body, data: { a: "2", b: "1" } } });
    const editor = edited.metadata.managedFields.find(({ manager }: { manager: string }) => manager === "editor");
    assert.deepEqual([editor.operation, editor.fieldsV1], ["Update", { "f:data": { "f:a": {} } }]);
    assert.equal((await apply(context, "mixed", "first", { a: "1", b: "1" })).code, 409);
    assert.equal((await apply(context, "mixed", "first", { b: "3" })).body.data.a, "2");
  });
}

function applyRefusalRules(rule: Rule): void {
  rule("apply without a manager, or of another object, is refused", async ({ at, send }) => {
    const document = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n`;
    const patch = (query: string, body: string) =>
      send("PATCH", `${at("configmaps", "x")}${query}`, { type: PATCH.apply, body });
    const nameless = await patch("", document("x"));
    assert.deepEqual([nameless.code, nameless.body.details.causes[0].field], [422, "fieldManager"]);
    assert.equal((await patch("?fieldManager=me", document("other"))).code, 400);
    assert.equal((await patch("?fieldManager=me", "a: [")).code, 400);
    assert.equal((await patch("?fieldManager=me", "metadata: { name: x }")).code, 400);
  });

  rule("apply with managedFields, or with an old version, is refused", async (context) => {
    const { at, send } = context;
    const { body } = await apply(context, "guarded", "me", { a: "1" });
    const again = (metadata: object) =>
      send("PATCH", `${at("configmaps", "guarded")}?fieldManager=me`, {
        type: PATCH.apply,
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "guarded", ...metadata }, data: { a: "2" } },
      });
    const managed = await again({ managedFields: body.metadata.managedFields });
    assert.equal(managed.code, 400);
    assert.match(managed.body.message, /metadata.managedFields must be nil/);
    assert.equal((await again({ resourceVersion: "1" })).code, 409);
    const other = await again({ uid: "00000000-0000-4000-8000-000000000000" });
    assert.equal(other.code, 422);
    assert.match(other.body.message, /metadata.uid: Invalid value: .*: field is immutable/);
  });

  rule("an applied status belongs to the status subresource alone", async ({ at, send }) => {
    const made = workload("Deployment", "stated");
    await send("POST", at("apps/v1/deployments"), { body: made });
    const path = at("apps/v1/deployments", "stated/status");
    const { body } = await send("PATCH", `${path}?fieldManager=watcher`, {
      type: PATCH.apply,
      body: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "stated" },
        status: { collisionCount: 3 },
      },
    });
    assert.equal(body.status.collisionCount, 3);
    const entry = body.metadata.managedFields.find(({ manager }: { manager: string }) => manager === "watcher");
    assert.deepEqual([entry.subresource, entry.operation], ["status", "Apply"]);
  });
}

function apply({ at, send }: RuleContext, name: string, manager: string, data: object, more = ""): Promise<Answer> {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
  return send("PATCH", `${at("configmaps", name)}?fieldManager=${manager}${more}`, { type: PATCH.apply, body });
}
