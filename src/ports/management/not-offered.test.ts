import assert from "node:assert/strict";
import { test } from "node:test";
import { insteadOf, NOT_OFFERED } from "./not-offered.ts";
import { routes } from "./routes.ts";

test("nothing that is offered is listed as not offered", () => {
  const known = new Set(Object.values(routes).map(({ path }) => path.replace(/:\w+/g, ":")));
  const wrong = NOT_OFFERED.filter(({ method }) => method === undefined)
    .flatMap(({ paths }) => paths)
    .filter((path) => known.has(path.replace("*", "").replace(/:\w+/g, ":")));
  assert.deepEqual(wrong, []);
});

test("what comes closest depends on the whole path and on the method", () => {
  assert.match(insteadOf("GET", "/v1/cluster/check") ?? "", /preflight/);
  assert.match(insteadOf("POST", "/v1/bdbs/1/actions/rebalance") ?? "", /maintenance_on/);
  assert.match(insteadOf("GET", "/v1/suffixes") ?? "", /none of that/);
  assert.equal(insteadOf("GET", "/v1/nodes/1/actions/remove"), undefined);
  assert.equal(insteadOf("GET", "/v1/nothing"), undefined);
});
