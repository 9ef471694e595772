import assert from "node:assert/strict";
import { test } from "node:test";
import { serviceFindings } from "./availability.ts";
import { setAsideCopies } from "./set-aside.ts";

const since = "2026-01-01T00:00:00Z";
const copy = (bdb: number, instance: number, at = since) => ({
  id: `db-${bdb}-${instance}-1`,
  bdb,
  name: "orders",
  instance,
  bytes: 5_000,
  since: at,
});

test("copies of a database that nodes have set aside are found, the newest first", () => {
  const nodes = [
    { uid: 1, set_aside: [copy(7, 1, "2025-12-31T00:00:00Z"), copy(8, 9)] },
    { uid: 2, set_aside: [copy(7, 5)] },
    { uid: 3, set_aside: [copy(7, 6)] },
    { uid: 4 },
  ];
  assert.deepEqual(
    setAsideCopies(nodes, 7).map(({ node, instance }) => [node, instance]),
    [
      [3, 6],
      [2, 5],
      [1, 1],
    ],
  );
});

test("data that is gone is not given up before a copy that is set aside is offered", () => {
  const bdb = {
    uid: 7,
    name: "orders",
    status: "recovery",
    version: "",
    endpoints: [],
    waiting_for: "the data is gone",
    recovery: { lacks: "the data", needs_consent: true },
  } as const;
  const conditions = [
    {
      type: "Available",
      status: "False",
      reason: "Recovering",
      message: "the data is gone",
      lastTransitionTime: since,
    },
  ] as const;
  const facts = {
    cluster: "rec",
    conditions: [...conditions],
    hasService: true,
    copies: setAsideCopies([{ uid: 2, set_aside: [copy(7, 5)] }], 7),
  };
  const [finding] = serviceFindings(bdb, facts, new Date("2026-01-01T00:01:00Z"));
  assert.match(
    finding?.evidence ?? "",
    /set aside are: node 2 \(instance 5, 5000 bytes, since 2026-01-01T00:00:00Z\)$/,
  );
  const remedy = finding?.remedy ?? "";
  assert.match(
    remedy,
    /^use the newest copy: curl .* -d '\{"set_aside":\{"node":2,"id":"db-7-5-1"\}\}' .*\/v1\/bdbs\/7\/actions\/recover;/,
  );
  assert.ok(remedy.indexOf("set_aside") < remedy.indexOf("clusterRecovery"));
});
