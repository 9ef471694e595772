import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { builtinSchema } from "../openapi/builtin.ts";
import { isJsonObject, type JsonObject } from "../schema/json.ts";
import { describeConflicts } from "./apply-messages.ts";
import { serverSideApply } from "./server-side-apply.ts";
import { trackUpdate } from "./track-update.ts";

const schema = builtinSchema("apps", "v1", "Deployment");
const now = new Date("2026-01-01T00:00:00Z");
const later = new Date("2026-01-02T00:00:00Z");

const deployment = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", ...metadata },
  spec,
});
const containers = (...items: readonly JsonObject[]): JsonObject => ({ template: { spec: { containers: items } } });

describe("server-side apply", () => {
  test("creates the object and owns what was applied", () => {
    const object = applied(undefined, "a", deployment({ replicas: 2 }, { labels: { app: "web" } }));
    assert.deepEqual(object, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        name: "web",
        labels: { app: "web" },
        managedFields: [
          {
            manager: "a",
            operation: "Apply",
            apiVersion: "apps/v1",
            time: "2026-01-01T00:00:00Z",
            fieldsType: "FieldsV1",
            fieldsV1: { "f:metadata": { "f:labels": { "f:app": {} } }, "f:spec": { "f:replicas": {} } },
          },
        ],
      },
      spec: { replicas: 2 },
    });
  });

  test("the same again gives the very object", () => {
    const live = applied(undefined, "a", deployment({ replicas: 2 }));
    const outcome = serverSideApply({
      live,
      applied: deployment({ replicas: 2 }),
      manager: "a",
      force: false,
      schema,
      now: later,
    });
    assert.ok(outcome.kind === "applied" && outcome.object === live);
  });

  test("a field that is applied no more goes, others stay", () => {
    const live = applied(undefined, "a", deployment({ replicas: 2, paused: true }));
    assert.deepEqual(applied(live, "a", deployment({ replicas: 2 }))["spec"], { replicas: 2 });
  });

  test("giving up all metadata leaves the name", () => {
    const live = applied(undefined, "a", deployment({}, { labels: { x: "y" } }));
    assert.deepEqual(applied(live, "a", deployment({ replicas: 1 }))["spec"], { replicas: 1 });
    assert.match(JSON.stringify(applied(live, "a", deployment({}))["metadata"]), /^\{"name":"web"/);
  });

  test("a field that the schema does not declare is refused by name", () => {
    const configuration = deployment({ nope: 1 });
    const outcome = serverSideApply({
      live: undefined,
      applied: configuration,
      manager: "a",
      force: false,
      schema,
      now,
    });
    const message =
      "failed to create typed patch object (/web; apps/v1, Kind=Deployment): .spec.nope: field not declared in schema";
    assert.deepEqual(outcome, { kind: "failed", message });
  });

  test("a field that two applied stays until the second gives it up", () => {
    const first = applied(undefined, "a", deployment({ replicas: 2 }));
    const both = applied(first, "b", deployment({ replicas: 2 }));
    const one = applied(both, "a", deployment({}));
    assert.deepEqual(one["spec"], { replicas: 2 });
    assert.deepEqual(applied(one, "b", deployment({ paused: true }))["spec"], { paused: true });
  });

  test("another value for a field of another manager is a conflict that names both", () => {
    const live = applied(undefined, "a", deployment({ replicas: 2 }));
    const request = { live, applied: deployment({ replicas: 3 }), manager: "b", schema, now };
    const outcome = serverSideApply({ ...request, force: false });
    assert.deepEqual(outcome, { kind: "conflict", conflicts: [{ manager: '"a"', field: ".spec.replicas" }] });
    assert.ok(outcome.kind === "conflict");
    assert.equal(
      describeConflicts(outcome.conflicts),
      'Apply failed with 1 conflict: conflict with "a": .spec.replicas',
    );
  });

  test("force takes the field over", () => {
    const live = applied(undefined, "a", deployment({ replicas: 2, paused: true }));
    const outcome = serverSideApply({
      live,
      applied: deployment({ replicas: 3 }),
      manager: "b",
      force: true,
      schema,
      now,
    });
    assert.ok(outcome.kind === "applied");
    assert.deepEqual(ownersOf(outcome.object), {
      a: { "f:spec": { "f:paused": {} } },
      b: { "f:spec": { "f:replicas": {} } },
    });
  });

  test("a conflict with an update names its version, several are listed by manager", () => {
    const live = updated(undefined, deployment({ replicas: 2, paused: true }), "kubectl-edit");
    const outcome = serverSideApply({
      live,
      applied: deployment({ replicas: 3, paused: false }),
      manager: "b",
      force: false,
      schema,
      now,
    });
    assert.ok(outcome.kind === "conflict");
    assert.equal(
      describeConflicts(outcome.conflicts),
      'Apply failed with 2 conflicts: conflicts with "kubectl-edit" using apps/v1:\n- .spec.paused\n- .spec.replicas',
    );
  });

  test("items of a keyed list have owners of their own", () => {
    const first = applied(undefined, "a", deployment(containers({ name: "one", image: "i:1" })));
    const both = applied(first, "b", deployment(containers({ name: "two", image: "i:1" })));
    assert.deepEqual(both["spec"], containers({ name: "one", image: "i:1" }, { name: "two", image: "i:1" }));
    assert.deepEqual(applied(both, "a", deployment({}))["spec"], containers({ name: "two", image: "i:1" }));
    assert.deepEqual(ownersOf(both)["b"], {
      "f:spec": {
        "f:template": {
          "f:spec": { "f:containers": { 'k:{"name":"two"}': { ".": {}, "f:image": {}, "f:name": {} } } },
        },
      },
    });
  });

  test("a key with a default need not be written", () => {
    const port = (extra: JsonObject): JsonObject =>
      deployment(containers({ name: "one", ports: [{ containerPort: 80, ...extra }] }));
    const live = applied(undefined, "a", port({ protocol: "TCP" }));
    assert.deepEqual(applied(live, "a", port({ name: "http" }))["spec"], port({ name: "http" })["spec"]);
  });

  test("an atomic map has one owner", () => {
    const live = applied(undefined, "a", deployment({ selector: { matchLabels: { a: "1" } } }));
    const outcome = serverSideApply({
      live,
      applied: deployment({ selector: { matchLabels: { b: "2" } } }),
      manager: "b",
      force: false,
      schema,
      now,
    });
    assert.deepEqual(outcome, { kind: "conflict", conflicts: [{ manager: '"a"', field: ".spec.selector" }] });
  });

  test("an object without known owners belongs to its past", () => {
    const outcome = serverSideApply({
      live: deployment({ replicas: 1 }),
      applied: deployment({ replicas: 2 }),
      manager: "a",
      force: false,
      schema,
      now,
    });
    assert.deepEqual(outcome, {
      kind: "conflict",
      conflicts: [{ manager: '"before-first-apply" using apps/v1', field: ".spec.replicas" }],
    });
  });

  test("kubectl takes over what kubectl apply wrote on the client side, and keeps its annotation true", () => {
    const name = "kubectl.kubernetes.io/last-applied-configuration";
    const last = JSON.stringify(deployment({ replicas: 2 }));
    const live = updated(
      undefined,
      deployment({ replicas: 2 }, { annotations: { [name]: last } }),
      "kubectl-client-side-apply",
    );
    const object = applied(live, "kubectl", deployment({ replicas: 3 }));
    assert.deepEqual(object["spec"], { replicas: 3 });
    assert.match(JSON.stringify(object["metadata"]), /\\"replicas\\":3/);
  });

  test("the status endpoint writes the status alone", () => {
    const live = applied(undefined, "a", deployment({ replicas: 2 }));
    const outcome = serverSideApply({
      live,
      applied: { ...deployment({ replicas: 9 }, { labels: { x: "y" } }), status: { replicas: 2 } },
      manager: "controller",
      force: false,
      schema,
      now,
      subresource: "status",
    });
    assert.ok(outcome.kind === "applied");
    assert.deepEqual([outcome.object["spec"], outcome.object["status"]], [{ replicas: 2 }, { replicas: 2 }]);
    assert.deepEqual(ownersOf(outcome.object)["controller"], { "f:status": { "f:replicas": {} } });
  });

  test("managedFields in the configuration are refused", () => {
    const outcome = serverSideApply({
      live: undefined,
      applied: deployment({}, { managedFields: [] }),
      manager: "a",
      force: false,
      schema,
      now,
    });
    assert.deepEqual(outcome, { kind: "failed", message: "metadata.managedFields must be nil" });
  });
});

describe("tracking of updates", () => {
  test("a create owns everything, parents of free maps included", () => {
    const object = updated(undefined, deployment({ replicas: 1 }, { labels: { a: "b" } }), "curl");
    assert.deepEqual(ownersOf(object), {
      curl: { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } }, "f:spec": { ".": {}, "f:replicas": {} } },
    });
  });

  test("an update owns what it changed and takes it from others", () => {
    const first = updated(undefined, deployment({ replicas: 1, paused: true }), "one");
    const second = updated(first, deployment({ replicas: 2, paused: true }), "two");
    assert.deepEqual(ownersOf(second), {
      one: { "f:spec": { ".": {}, "f:paused": {} } },
      two: { "f:spec": { "f:replicas": {} } },
    });
  });

  test("a field that goes has no owner", () => {
    const first = updated(undefined, deployment({ replicas: 1, paused: true }), "one");
    assert.deepEqual(ownersOf(updated(first, deployment({ replicas: 1 }), "two")), {
      one: { "f:spec": { ".": {}, "f:replicas": {} } },
    });
  });

  test("an update that changes nothing leaves entry and time alone", () => {
    const first = updated(undefined, deployment({ replicas: 1 }), "one");
    const entries = trackUpdate({
      before: first,
      after: deployment({ replicas: 1 }),
      manager: "one",
      schema,
      now: later,
    });
    assert.deepEqual(entries, isJsonObject(first["metadata"]) ? first["metadata"]["managedFields"] : undefined);
  });

  test("updates under many names are kept as ten", () => {
    let object = updated(undefined, deployment({ replicas: 0 }, { labels: { m0: "x" } }), "m0");
    for (let i = 1; i < 15; i++) {
      const labels = Object.fromEntries(Array.from({ length: i + 1 }, (_, n) => [`m${n}`, "x"]));
      object = updated(object, deployment({ replicas: 0 }, { labels }), `m${i}`);
    }
    const owners = Object.keys(ownersOf(object));
    assert.equal(owners.length, 10);
    assert.ok(owners.includes("ancient-changes"));
  });
});

test("whatever is applied, the result holds it, the same again changes nothing, and giving it up leaves the others'", () => {
  const names = fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 3 });
  const image = fc.constantFrom("i:1", "i:2");
  const spec = fc
    .record({
      labels: fc.dictionary(fc.constantFrom("x", "y"), fc.constantFrom("1", "2")),
      names,
      image,
      replicas: fc.option(fc.nat(3)),
    })
    .map(({ labels, names: list, image: tag, replicas }) =>
      deployment(
        { ...(replicas === null ? {} : { replicas }), ...containers(...list.map((name) => ({ name, image: tag }))) },
        { labels },
      ),
    );
  fc.assert(
    fc.property(spec, spec, (one, other) => {
      const first = applied(undefined, "one", one);
      const outcome = serverSideApply({ live: first, applied: other, manager: "other", force: true, schema, now });
      assert.ok(outcome.kind === "applied");
      const again = serverSideApply({
        live: outcome.object,
        applied: other,
        manager: "other",
        force: false,
        schema,
        now: later,
      });
      assert.ok(again.kind === "applied" && again.object === outcome.object);
      const alone = applied(outcome.object, "one", deployment({}));
      const onlyOther = ownersOf(alone)["other"];
      assert.deepEqual(onlyOther, ownersOf(applied(undefined, "other", other))["other"]);
      assert.deepEqual(sorted(withoutMetadata(alone)), sorted(withoutMetadata(applied(undefined, "other", other))));
    }),
    { numRuns: 150 },
  );
});

function applied(live: JsonObject | undefined, manager: string, configuration: JsonObject): JsonObject {
  const outcome = serverSideApply({ live, applied: configuration, manager, force: false, schema, now });
  assert.ok(outcome.kind === "applied", JSON.stringify(outcome));
  return outcome.object;
}

function updated(before: JsonObject | undefined, after: JsonObject, manager: string): JsonObject {
  const managedFields = trackUpdate({ before, after, manager, schema, now });
  return { ...after, metadata: { ...(isJsonObject(after["metadata"]) ? after["metadata"] : {}), managedFields } };
}

function ownersOf(object: JsonObject): Readonly<Record<string, unknown>> {
  const entries = isJsonObject(object["metadata"]) ? object["metadata"]["managedFields"] : [];
  const listed: readonly unknown[] = Array.isArray(entries) ? entries : [];
  return Object.fromEntries(listed.filter(isJsonObject).map((entry) => [String(entry["manager"]), entry["fieldsV1"]]));
}

function withoutMetadata(object: JsonObject): unknown {
  return object["spec"];
}

/** Lists that are merged by key carry no promise about the order of items of different managers. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(item)).toSorted();
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, item]) => [key, sorted(item)] as const);
  return Object.fromEntries(
    members.filter(([, item]) => JSON.stringify(item) !== "{}" && JSON.stringify(item) !== "[]"),
  );
}
