import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import { faults } from "../../../ports/management/faults.ts";
import { failureOf } from "./failure.ts";

test("a refusal has the cluster's own words, with a way out and without paths and status codes", () => {
  const description = 'port 10000 belongs to database 1 ("orders")';
  const refused = new Fault(
    faults.refused,
    `POST /v1/bdbs: ${description} (406 port_unavailable, from https://1.2.3.4)`,
    {
      error_code: "port_unavailable",
      description,
    },
  );
  assert.deepEqual(failureOf(refused, "redb orders"), {
    id: "RefusedByCluster",
    severity: "block",
    evidence: description,
    remedy: "choose another spec.databasePort, or leave it out: kubectl edit redb orders",
  });
});

test("a cluster that cannot be reached is a call that failed", () => {
  const unreachable = new Fault(faults.unreachable, "POST /v1/bdbs reached no node", { tried: [] });
  const { id, severity, evidence } = failureOf(unreachable, "redb orders") ?? {};
  assert.deepEqual([id, severity, evidence], ["CallFailed", "wait", "no node has an address yet"]);
});

test("an unforeseen error is no failure of a call", () => {
  assert.equal(failureOf(new TypeError("x is not a function"), "redb orders"), undefined);
});
