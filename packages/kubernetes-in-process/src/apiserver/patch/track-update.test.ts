import assert from "node:assert/strict";
import { test } from "node:test";
import { webDeployment, later, ownersOf, schema, updateAs } from "../../testing/managed-deployment.ts";
import { isJsonObject } from "../schema/json.ts";
import { trackUpdate } from "./track-update.ts";

test("a create owns everything, parents of free maps included", () => {
  const object = updateAs(undefined, webDeployment({ replicas: 1 }, { labels: { a: "b" } }), "curl");
  assert.deepEqual(ownersOf(object), {
    curl: { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } }, "f:spec": { ".": {}, "f:replicas": {} } },
  });
});

test("an update owns what it changed and takes it from others", () => {
  const first = updateAs(undefined, webDeployment({ replicas: 1, paused: true }), "one");
  const second = updateAs(first, webDeployment({ replicas: 2, paused: true }), "two");
  assert.deepEqual(ownersOf(second), {
    one: { "f:spec": { ".": {}, "f:paused": {} } },
    two: { "f:spec": { "f:replicas": {} } },
  });
});

test("a field that goes has no owner", () => {
  const first = updateAs(undefined, webDeployment({ replicas: 1, paused: true }), "one");
  assert.deepEqual(ownersOf(updateAs(first, webDeployment({ replicas: 1 }), "two")), {
    one: { "f:spec": { ".": {}, "f:replicas": {} } },
  });
});

test("an update that changes nothing leaves entry and time alone", () => {
  const first = updateAs(undefined, webDeployment({ replicas: 1 }), "one");
  const entries = trackUpdate({
    before: first,
    after: webDeployment({ replicas: 1 }),
    manager: "one",
    schema,
    now: later,
  });
  assert.deepEqual(entries, isJsonObject(first["metadata"]) ? first["metadata"]["managedFields"] : undefined);
});

test("updates under many names are kept as ten", () => {
  let object = updateAs(undefined, webDeployment({ replicas: 0 }, { labels: { m0: "x" } }), "m0");
  for (let i = 1; i < 15; i++) {
    const labels = Object.fromEntries(Array.from({ length: i + 1 }, (_, n) => [`m${n}`, "x"]));
    object = updateAs(object, webDeployment({ replicas: 0 }, { labels }), `m${i}`);
  }
  const owners = Object.keys(ownersOf(object));
  assert.equal(owners.length, 10);
  assert.ok(owners.includes("ancient-changes"));
});
