import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonLog } from "#kit/base/log";
import { block } from "../../../core/planner/findings/finding.ts";
import { findingLog } from "./finding-log.ts";

const REF = { name: "orders", namespace: "shop" };
const refused = block("RefusedByCluster", "port 1 is taken", "choose another");

test("a finding is one line when it begins and one when it ends, however often it is reported", () => {
  const { lines, findings } = start();
  for (const found of [[refused], [refused], [], []]) findings.report("database", REF, found, [refused]);
  const { id: finding, ...rest } = refused;
  const fields = { finding, ...rest, object: "redb/orders", namespace: "shop" };
  assert.deepEqual(lines(), [
    { level: "warn", msg: "a finding began", ...fields },
    { level: "info", msg: "a finding ended", ...fields },
  ]);
});

test("an operator that starts writes what stands, and what ended while it was away", () => {
  const { lines, findings } = start();
  const ended = block("LicenseLimit", "2 of 2 shards are used", "install a larger licence");
  findings.report("database", REF, [refused], [refused, ended]);
  findings.report("database", REF, [refused], [refused, ended]);
  assert.deepEqual(
    lines().map(({ msg, finding }) => [msg, finding]),
    [
      ["a finding began", "RefusedByCluster"],
      ["a finding ended", "LicenseLimit"],
    ],
  );
});

test("objects of one name and of different kinds are kept apart", () => {
  const { lines, findings } = start();
  findings.report("database", REF, [refused]);
  findings.report("activeActive", REF, []);
  assert.equal(lines().length, 1);
});

function start() {
  const written: string[] = [];
  const log = jsonLog(
    (line) => void written.push(line),
    () => new Date(0),
  );
  const lines = () =>
    written.map((line) => {
      const { ts: _ts, ...fields } = JSON.parse(line) as Record<string, unknown>;
      return fields;
    });
  return { lines, findings: findingLog(log) };
}
