import assert from "node:assert/strict";
import { test } from "node:test";
import { FORMAT, SLOTS_FORMAT } from "../../../core/api/format.ts";
import { parseNodeReport } from "../members/node-report.ts";
import { parseClusterRecord } from "./schema.ts";

const RECORD = { createdTime: "2026-01-01T00:00:00Z", nextDatabase: 1, maintenance: [], finished: [] };
const REPORT = {
  address: "127.0.0.1",
  softwareVersion: "8.2.0-25.12",
  operatorVersion: "8.2.0-12",
  acceptsClients: true,
  engines: [],
  osName: "Linux",
  architecture: "x64",
  cores: 2,
  memoryBytes: 1,
  startedAt: RECORD.createdTime,
};

for (const [name, format] of [
  ["release 0.1.0, which writes no format", undefined],
  ["this release", FORMAT],
] as const)
  test(`records and reports of ${name} are read`, () => {
    const written = { ...RECORD, format };
    assert.equal(parseClusterRecord(JSON.stringify(written), "rec-cluster").nextDatabase, 1);
    assert.equal(parseNodeReport(JSON.stringify({ ...REPORT, format }))?.address, "127.0.0.1");
  });

test("a record of a later format is refused, and a node that reports in one is not known", () => {
  const later = { format: FORMAT + 1 };
  assert.throws(
    () => parseClusterRecord(JSON.stringify({ ...RECORD, ...later }), "rec-cluster"),
    /rec-cluster is not usable: .*must be at most 1: a node of a newer release wrote it/,
  );
  assert.equal(parseNodeReport(JSON.stringify({ ...REPORT, ...later })), undefined);
});

test("a report of the format that the record of a database may have is not known", () => {
  assert.equal(parseNodeReport(JSON.stringify({ ...REPORT, format: SLOTS_FORMAT })), undefined);
});

test("what a newer release has added to a record of this format stays", () => {
  const read = parseClusterRecord(JSON.stringify({ ...RECORD, added: { later: true } }), "rec-cluster");
  assert.deepEqual(Reflect.get(read, "added"), { later: true });
});
