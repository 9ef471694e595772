import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "../../../core/api/parts.ts";
import { blockedAnswer, type WhyAnswer } from "./answer.ts";
import { installationAnswers } from "./installation.ts";

interface Case {
  readonly rule: string;
  readonly condition: Pick<Condition, "type" | "status" | "reason" | "message">;
  readonly said?: string;
  readonly answer?: Pick<WhyAnswer, "level" | "evidence" | "clears">;
}

const ADMISSION = { type: "AdmissionReady", status: "False" } as const;
const LINE = "; remedy: lead it: kubectl patch svc admission";

const cases: readonly Case[] = [
  {
    rule: "a webhook that has no address blocks, and has its line",
    condition: { ...ADMISSION, reason: "NoEndpoints", message: `no address${LINE}` },
    answer: {
      level: "blocks",
      evidence: "AdmissionReady is False: no address",
      clears: "lead it: kubectl patch svc admission",
    },
  },
  {
    rule: "one that refuses nothing without an address blocks nothing",
    condition: { ...ADMISSION, reason: "NoEndpoints", message: `no address: writes of users are not judged${LINE}` },
    answer: {
      level: "warns",
      evidence: "AdmissionReady is False: no address: writes of users are not judged",
      clears: "lead it: kubectl patch svc admission",
    },
  },
  {
    rule: "one that is not there refuses nothing",
    condition: { ...ADMISSION, reason: "NotInstalled", message: "it is not there" },
    answer: {
      level: "warns",
      evidence: "AdmissionReady is False: it is not there",
      clears: "kubectl describe rec/rec",
    },
  },
  {
    rule: "one that was not asked for is not missing",
    condition: { ...ADMISSION, status: "Unknown", reason: "NotReadable", message: "by hand" },
  },
  { rule: "one that is current is none", condition: { ...ADMISSION, status: "True", reason: "Current", message: "" } },
  {
    rule: "what a check says of the webhook says more",
    condition: { ...ADMISSION, reason: "NoEndpoints", message: "no address" },
    said: "WebhookStale",
  },
  {
    rule: "a namespace that is not managed though it was asked for is one",
    condition: {
      type: "NamespacesWatched",
      status: "False",
      reason: "NamespaceNotGranted",
      message: "a; remedy: b; c; remedy: d",
    },
    said: "WebhookStale",
    answer: { level: "warns", evidence: "NamespacesWatched is False: a", clears: "b; c; remedy: d" },
  },
  {
    rule: "other conditions are none of the installation",
    condition: { type: "Available", status: "False", reason: "QuorumLost", message: "" },
  },
];

for (const { rule, condition, said, answer } of cases)
  test(`why of the installation: ${rule}`, () => {
    const before = said === undefined ? [] : [blockedAnswer("rec/rec", said, "", "")];
    const found = installationAnswers("rec/rec", [{ ...condition, lastTransitionTime: "then" }], before);
    const expected = { object: "rec/rec", rule: condition.reason, since: "then" };
    assert.deepEqual(found, answer === undefined ? [] : [{ ...expected, ...answer }]);
  });
