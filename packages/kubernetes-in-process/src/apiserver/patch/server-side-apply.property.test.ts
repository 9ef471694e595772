import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { applyAs, containers, webDeployment, later, now, ownersOf, schema } from "../../testing/managed-deployment.ts";
import { isJsonObject, type JsonObject } from "../schema/json.ts";
import { serverSideApply } from "./server-side-apply.ts";

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
      webDeployment(
        { ...(replicas === null ? {} : { replicas }), ...containers(...list.map((name) => ({ name, image: tag }))) },
        { labels },
      ),
    );
  fc.assert(
    fc.property(spec, spec, (one, other) => {
      const first = applyAs(undefined, "one", one);
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
      const alone = applyAs(outcome.object, "one", webDeployment({}));
      const onlyOther = ownersOf(alone)["other"];
      assert.deepEqual(onlyOther, ownersOf(applyAs(undefined, "other", other))["other"]);
      assert.deepEqual(sorted(withoutMetadata(alone)), sorted(withoutMetadata(applyAs(undefined, "other", other))));
    }),
    { numRuns: 150 },
  );
});

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
