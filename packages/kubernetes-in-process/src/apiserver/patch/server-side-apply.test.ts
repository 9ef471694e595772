import assert from "node:assert/strict";
import { test } from "node:test";
import {
  applyAs,
  containers,
  webDeployment,
  later,
  now,
  ownersOf,
  schema,
  updateAs,
} from "../../testing/managed-deployment.ts";
import type { JsonObject } from "../schema/json.ts";
import { describeConflicts } from "./apply-messages.ts";
import { serverSideApply } from "./server-side-apply.ts";

test("creates the object and owns what was applied", () => {
  const object = applyAs(undefined, "a", webDeployment({ replicas: 2 }, { labels: { app: "web" } }));
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
  const live = applyAs(undefined, "a", webDeployment({ replicas: 2 }));
  const outcome = serverSideApply({
    live,
    applied: webDeployment({ replicas: 2 }),
    manager: "a",
    force: false,
    schema,
    now: later,
  });
  assert.ok(outcome.kind === "applied" && outcome.object === live);
});

test("a field that is applied no more goes, others stay", () => {
  const live = applyAs(undefined, "a", webDeployment({ replicas: 2, paused: true }));
  assert.deepEqual(applyAs(live, "a", webDeployment({ replicas: 2 }))["spec"], { replicas: 2 });
});

test("giving up all metadata leaves the name", () => {
  const live = applyAs(undefined, "a", webDeployment({}, { labels: { x: "y" } }));
  assert.deepEqual(applyAs(live, "a", webDeployment({ replicas: 1 }))["spec"], { replicas: 1 });
  assert.match(JSON.stringify(applyAs(live, "a", webDeployment({}))["metadata"]), /^\{"name":"web"/);
});

test("a field that the schema does not declare is refused by name", () => {
  const configuration = webDeployment({ nope: 1 });
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
  const first = applyAs(undefined, "a", webDeployment({ replicas: 2 }));
  const both = applyAs(first, "b", webDeployment({ replicas: 2 }));
  const one = applyAs(both, "a", webDeployment({}));
  assert.deepEqual(one["spec"], { replicas: 2 });
  assert.deepEqual(applyAs(one, "b", webDeployment({ paused: true }))["spec"], { paused: true });
});

test("another value for a field of another manager is a conflict that names both", () => {
  const live = applyAs(undefined, "a", webDeployment({ replicas: 2 }));
  const request = { live, applied: webDeployment({ replicas: 3 }), manager: "b", schema, now };
  const outcome = serverSideApply({ ...request, force: false });
  assert.deepEqual(outcome, { kind: "conflict", conflicts: [{ manager: '"a"', field: ".spec.replicas" }] });
  assert.ok(outcome.kind === "conflict");
  assert.equal(describeConflicts(outcome.conflicts), 'Apply failed with 1 conflict: conflict with "a": .spec.replicas');
});

test("force takes the field over", () => {
  const live = applyAs(undefined, "a", webDeployment({ replicas: 2, paused: true }));
  const outcome = serverSideApply({
    live,
    applied: webDeployment({ replicas: 3 }),
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
  const live = updateAs(undefined, webDeployment({ replicas: 2, paused: true }), "kubectl-edit");
  const outcome = serverSideApply({
    live,
    applied: webDeployment({ replicas: 3, paused: false }),
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
  const first = applyAs(undefined, "a", webDeployment(containers({ name: "one", image: "i:1" })));
  const both = applyAs(first, "b", webDeployment(containers({ name: "two", image: "i:1" })));
  assert.deepEqual(both["spec"], containers({ name: "one", image: "i:1" }, { name: "two", image: "i:1" }));
  assert.deepEqual(applyAs(both, "a", webDeployment({}))["spec"], containers({ name: "two", image: "i:1" }));
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
    webDeployment(containers({ name: "one", ports: [{ containerPort: 80, ...extra }] }));
  const live = applyAs(undefined, "a", port({ protocol: "TCP" }));
  assert.deepEqual(applyAs(live, "a", port({ name: "http" }))["spec"], port({ name: "http" })["spec"]);
});

test("an atomic map has one owner", () => {
  const live = applyAs(undefined, "a", webDeployment({ selector: { matchLabels: { a: "1" } } }));
  const outcome = serverSideApply({
    live,
    applied: webDeployment({ selector: { matchLabels: { b: "2" } } }),
    manager: "b",
    force: false,
    schema,
    now,
  });
  assert.deepEqual(outcome, { kind: "conflict", conflicts: [{ manager: '"a"', field: ".spec.selector" }] });
});

test("an object without known owners belongs to its past", () => {
  const outcome = serverSideApply({
    live: webDeployment({ replicas: 1 }),
    applied: webDeployment({ replicas: 2 }),
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
  const last = JSON.stringify(webDeployment({ replicas: 2 }));
  const live = updateAs(
    undefined,
    webDeployment({ replicas: 2 }, { annotations: { [name]: last } }),
    "kubectl-client-side-apply",
  );
  const object = applyAs(live, "kubectl", webDeployment({ replicas: 3 }));
  assert.deepEqual(object["spec"], { replicas: 3 });
  assert.match(JSON.stringify(object["metadata"]), /\\"replicas\\":3/);
});

test("the status endpoint writes the status alone", () => {
  const live = applyAs(undefined, "a", webDeployment({ replicas: 2 }));
  const outcome = serverSideApply({
    live,
    applied: { ...webDeployment({ replicas: 9 }, { labels: { x: "y" } }), status: { replicas: 2 } },
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
    applied: webDeployment({}, { managedFields: [] }),
    manager: "a",
    force: false,
    schema,
    now,
  });
  assert.deepEqual(outcome, { kind: "failed", message: "metadata.managedFields must be nil" });
});
