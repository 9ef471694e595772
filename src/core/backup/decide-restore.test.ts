import assert from "node:assert/strict";
import { test } from "node:test";
import { pause } from "../planner/findings/finding.ts";
import { decideRestore, type RestoreFacts } from "./decide-restore.ts";
import { stepWords } from "./testing/step-words.ts";

const THERE = { kind: "there", awaits: true, mayAwait: false, isServing: false, trouble: "" } as const;
const RESTORED = { ...THERE, awaits: false };
const FACTS: RestoreFacts = {
  name: "nightly-1",
  phase: undefined,
  isDryRun: false,
  attempts: 0,
  begunAt: undefined,
  madeAt: 0,
  deadlineMs: 100_000,
  now: 1_000,
  seen: undefined,
  database: { kind: "none", wasMade: false },
};
const failure = {
  error_code: "BACKUP_DAMAGED",
  description: "It is damaged.",
  remedy: "Take another.",
  retry: "never",
} as const;
const failed = { name: "nightly-1", status: "failed", failure } as const;
const passing = { ...failed, failure: { ...failure, error_code: "OBJECT_STORE_BUSY", retry: "backoff" } } as const;
const unready = { kind: "unready", finding: pause("DatabaseNotReady", "no room") } as const;
const DONE = { name: "nightly-1", status: "completed" } as const;
const late = { now: 200_000 };

for (const [rule, change, step] of [
  ["a database that is not there is planned", {}, "plan"],
  ["what has come to its end rests", { phase: "Completed" }, "rest"],
  ["what has failed rests", { phase: "Failed" }, "rest"],
  ["a dry run that has shown its plan rests", { phase: "Planned", isDryRun: true }, "rest"],
  ["a plan is carried out once it is no dry run any more", { phase: "Planned" }, "plan"],
  ["a database with data is never touched", { database: { kind: "other" } }, "fail DatabaseExists"],
  ["a dry run says so too", { database: { kind: "other" }, isDryRun: true }, "fail DatabaseExists"],
  [
    "one that was made and is gone is not made again",
    { database: { kind: "none", wasMade: true } },
    "fail DatabaseGone",
  ],
  ["one that its cluster has not made yet is waited for", { database: unready }, "wait DatabaseNotReady"],
  ["one that waits for its data gets them", { database: THERE }, "begin"],
  ["a restore that runs is followed", { database: THERE, seen: { name: "nightly-1", status: "running" } }, "follow"],
  [
    "another one that runs is waited for",
    { database: THERE, seen: { name: "x", status: "running" } },
    "wait AnotherRuns",
  ],
  ["what is damaged has failed", { database: THERE, seen: failed, attempts: 1 }, "fail BackupDamaged"],
  ["what another restore has failed by is tried again", { database: THERE, seen: failed }, "begin"],
  [
    "what may pass is tried again later",
    { database: THERE, seen: passing, attempts: 1, begunAt: 500 },
    "wait ObjectStoreBusy",
  ],
  ["a new leader is asked again", { database: THERE, attempts: 1, begunAt: -60_000 }, "begin"],
  [
    "the cluster has written that the data are there",
    { database: THERE, seen: { name: "nightly-1", status: "completed" } },
    "follow",
  ],
  [
    "a shard that has lost its data since is restored too",
    { database: THERE, attempts: 1, seen: { ...DONE, ended: "1970-01-01T00:00:01Z" }, now: 12_000 },
    "begin",
  ],
  [
    "and not before all nodes can know that the others have theirs",
    { database: THERE, attempts: 1, seen: { ...DONE, ended: "1970-01-01T00:00:01Z" }, now: 11_000 },
    "follow",
  ],
  ["engines that load are waited for", { database: RESTORED, attempts: 1 }, "wait Loading"],
  ["engines that do not load say why", { database: { ...RESTORED, trouble: "bad" }, attempts: 1 }, "wait NotLoaded"],
  ["a database that serves is complete", { database: { ...RESTORED, isServing: true }, attempts: 1 }, "complete"],
  [
    "one that may have lost its data is waited for",
    { database: { ...RESTORED, mayAwait: true } },
    "wait DataMayBeThere",
  ],
  [
    "one that has its data is not overwritten",
    { database: { ...RESTORED, mayAwait: true, isServing: true } },
    "fail DataNotLost",
  ],
  ["one that others have filled is not", { database: { ...RESTORED, isServing: true } }, "fail DatabaseHasData"],
  [
    "one that a user let begin empty is not",
    { database: { ...RESTORED, isServing: true }, attempts: 1, seen: failed },
    "fail DatabaseHasData",
  ],
  [
    "what is complete counts however late it is",
    { database: { ...RESTORED, isServing: true }, attempts: 1, ...late },
    "complete",
  ],
  ["nothing is made after the deadline", late, "fail DeadlineExceeded"],
  ["nothing is begun after the deadline", { database: THERE, ...late }, "fail DeadlineExceeded"],
  ["nothing is waited for after the deadline", { database: unready, ...late }, "fail DeadlineExceeded"],
] as const)
  test(rule, () => {
    assert.equal(
      stepWords(decideRestore({ ...FACTS, ...change }).step)
        .join(" ")
        .trimEnd(),
      step,
    );
  });
