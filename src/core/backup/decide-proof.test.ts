import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "../api/parts.ts";
import type { SeenFailure } from "./decide.ts";
import { block, pause } from "../planner/findings/finding.ts";
import { decideProof, isUnknownForGood, type ProofFacts, type SeenProof } from "./decide-proof.ts";
import { stepWords } from "./testing/step-words.ts";

const COMPLETED = "1970-01-01T00:00:00.000Z";
const FACTS: ProofFacts = {
  name: "nightly-1a2b",
  spec: {},
  status: { completionTime: COMPLETED },
  deadlineMs: 3_600_000,
  now: 1_000,
  seen: undefined,
  obstacle: undefined,
};
const BEGUN = { completionTime: COMPLETED, verification: { attempts: 1, startTime: "1970-01-01T00:00:01.000Z" } };
const AGAIN = { spec: { verifyRequest: "another look" } };
const BUSY = pause("DatabaseBusy", "another one runs");

for (const [rule, facts, step, reason] of [
  ["one that the cluster loads already is followed", { seen: own("running") }, "follow", ""],
  ["one that a leader knows as complete, and no more, is begun", { seen: own(undefined) }, "begin", ""],
  ["one of which the leader knows nothing is begun", {}, "begin", ""],
  ["one that an engine has loaded is complete", { seen: own("passed") }, "complete", ""],
  ["one that cannot be loaded has failed", { seen: own("failed", "never") }, "fail", "AgentBackupDiffers"],
  ["one without room waits", { status: BEGUN, seen: own("failed", "backoff") }, "wait", "AgentBackupDiffers"],
  ["and is begun again", { status: BEGUN, seen: own("failed", "backoff"), now: 11_000 }, "begin", ""],
  ["until its deadline", { seen: own("failed", "backoff"), now: 3_600_000 }, "fail", "DeadlineExceeded"],
  ["one whose files cannot be found any more has failed", { seen: lost() }, "fail", "BackupBadManifest"],
  ["one whose cluster takes another one waits", { seen: { name: "other", status: "running" } }, "wait", "AnotherRuns"],
  ["one whose cluster does not answer waits", { obstacle: BUSY }, "wait", "DatabaseBusy"],
  ["one that is known to be restorable rests", { status: said("True", "Loaded") }, "rest", ""],
  ["one that is known not to be rests", { status: said("False", "X"), seen: own("passed") }, "rest", ""],
  ["one that could not be tried in time rests", { status: said("Unknown", "DeadlineExceeded") }, "rest", ""],
  [
    "one that is asked for again is begun, whatever is known, and however late",
    { ...AGAIN, status: said("True", "Loaded"), seen: own("passed"), now: 9_000_000 },
    "begin",
    "",
  ],
  ["and is followed then", { ...AGAIN, status: answering("another look"), seen: own("running") }, "follow", ""],
  ["what came of it counts then", { ...AGAIN, status: answering("another look"), seen: own("passed") }, "complete", ""],
  [
    "the answer to another request is none",
    { ...AGAIN, status: answering("a look"), seen: own("passed") },
    "begin",
    "",
  ],
  [
    "a request that is taken back asks for nothing",
    { status: { ...answering("a look"), ...said("True", "Loaded") } },
    "rest",
    "",
  ],
  ["one that waits is looked at again", { status: said("Unknown", "AgentBackupNoRoom") }, "begin", ""],
] as const satisfies readonly (readonly [string, Partial<ProofFacts>, string, string])[])
  test(`the proof of a backup: ${rule}`, () => {
    const decided = decideProof({ ...FACTS, ...facts });
    assert.deepEqual(stepWords(decided.step), [step, reason]);
  });

test("what could not be tried in time is not known, and what was tried is", () => {
  assert.deepEqual(
    ["DeadlineExceeded", "SupervisorNotLoaded"].map((reason) => isUnknownForGood(block(reason, "it is so", "look"))),
    [true, false],
  );
});

function own(status: "running" | "passed" | "failed" | undefined, retry: SeenFailure["retry"] = "never"): SeenProof {
  const failure = { error_code: "AGENT_BACKUP_DIFFERS", description: "It differs.", remedy: "Look.", retry };
  const verification =
    status === undefined ? {} : { verification: { status, ...(status === "failed" ? { failure } : {}) } };
  return { name: "nightly-1a2b", status: "completed", ...verification };
}

function answering(request: string): ProofFacts["status"] {
  return { ...BEGUN, verification: { ...BEGUN.verification, request, requestTime: COMPLETED } };
}

function lost(): SeenProof {
  const failure = {
    error_code: "BACKUP_BAD_MANIFEST",
    description: "It is no JSON.",
    remedy: "Look.",
    retry: "never",
  } as const;
  return { name: "nightly-1a2b", status: "failed", failure };
}

function said(status: Condition["status"], reason: string): ProofFacts["status"] {
  const condition = { type: "Restorable", status, reason, message: "", lastTransitionTime: COMPLETED };
  return { completionTime: COMPLETED, conditions: [condition] };
}
