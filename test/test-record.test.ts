import assert from "node:assert/strict";
import { test } from "node:test";
import { reportOf, type RecordedRun } from "../scripts/testing/record.ts";

const WHOLE: RecordedRun = {
  at: "2026-11-24T22:10:25.000Z",
  commit: "eeb3e9d5",
  named: [],
  files: 425,
  seconds: 1_800.4,
  processorSeconds: 1_399.6,
  isBusy: false,
  failures: [],
};

test("a report adds up the runs of every file, and lists those of some files without counting them", () => {
  const failed = { ...WHOLE, isBusy: true, failures: ["a.test.ts: it ends"] };
  const some = { ...WHOLE, named: ["src"], files: 301, failures: ["b.test.ts: it begins"] };
  assert.deepEqual(reportOf([WHOLE, failed, some]), [
    "2026-11-24T22:10  eeb3e9d5  all 425 files: 1800 s, 1400 s of processor time, 0 failed",
    "2026-11-24T22:10  eeb3e9d5  all 425 files: 1800 s, 1400 s of processor time, busy, 1 failed",
    "2026-11-24T22:10  eeb3e9d5  301 files of src: 1800 s, 1400 s of processor time, 1 failed",
    "2 runs of every file, 1 of them beside busy loops: 1 failures",
    "  1 times  a.test.ts: it ends",
  ]);
});
