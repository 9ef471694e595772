import assert from "node:assert/strict";
import { z } from "zod";
import { OPERATOR_NAME } from "../../../src/core/api/names.ts";
import type { Finding } from "../../../src/core/api/parts.ts";
import { Events } from "#kit/kube/builtin";
import { assertWithin } from "#kit/testing/assert-within";
import { until } from "#kit/testing/until";
import type { FrozenCase } from "./frozen-case.ts";
import type { Lane, Rec } from "./lane.ts";

/** What a user saw of a frozen upgrade. */
export interface FrozenSeen {
  /** STATE. */
  readonly state: string;
  /** Reason and message of the warning event. */
  readonly event: string;
  /** The whole of `kubectl describe rec`. */
  readonly described: string;
  /** Id, evidence and remedy of the log line. */
  readonly logged: string;
  /** How many nodes run the release that is asked for. */
  readonly moved: number;
}

/** State, finding, condition, event and what `kubectl describe` prints agree; no node was touched beyond the expected ones. */
export async function expectFrozen(
  lane: Lane,
  { reason, state, evidence, remedy, touched = 0 }: FrozenCase,
): Promise<FrozenSeen> {
  const rec = await lane.cluster(`it is frozen: ${reason}`, ({ metadata, status }) => {
    const isNew = status?.observedGeneration === metadata.generation;
    const found = findingOf(status?.findings, reason);
    // while a node is still given back the cluster moves, and a person is waited for after that
    const stalled = found?.severity === "block" ? "True" : "False";
    const isSaid = status?.conditions?.find(({ type }) => type === "Stalled")?.status === stalled;
    return isNew && isSaid && status?.state === state && evidence.test(found?.evidence ?? "");
  });
  const finding = findingOf(rec.status?.findings, reason);
  assert.match(finding?.remedy ?? "", remedy);
  const conditions = rec.status?.conditions ?? [];
  const said = conditions.filter(({ message }) => evidence.test(message)).map(({ type }) => type);
  const blocks = finding?.severity === "block";
  // what deploy tools read names the first of several causes
  const ofAll = said.filter((type) => !["Ready", "Reconciling", "Stalled"].includes(type));
  assert.deepEqual(ofAll, blocks ? ["UpgradeBlocked"] : ["Progressing"]);
  assert.equal(conditions.find(({ type }) => type === "Ready")?.status, "False");
  let event: string | undefined;
  const isThere = async (): Promise<boolean> => {
    event = await reported(lane, "rec", reason, evidence, remedy);
    return event !== undefined;
  };
  await until(`an event ${reason}`, isThere, { withinMs: 30_000 });
  const isMet = (line: LoggedFinding): boolean => evidence.test(line.evidence) && remedy.test(line.remedy);
  const logged = await expectLogged(lane, "a finding began", reason, isMet);
  const described = await lane.sh("kubectl describe rec rec");
  assert.match(described, evidence);
  assert.match(described, new RegExp(`Warning +${reason} `));
  assert.equal(count(rec, lane.to().nodeTag), 0, "no node runs the new release");
  if (touched === 0) assert.equal(rec.status?.upgrade?.to === lane.to().nodeTag, false, "a roll has begun");
  const moved = count(rec, lane.to().nodeTag);
  return { state: rec.status?.state ?? "", event: `${reason} ${event ?? ""}`, described, logged, moved };
}

/** How soon an operator notices that a cause is gone. */
export const NOTICED_MS = 5_000;

/** Nothing else is done than the recovery; how soon the operator notices is measured from its acknowledgement. */
export async function expectResumed(lane: Lane, { reason }: FrozenCase, isLast = true): Promise<void> {
  const since = performance.now();
  await lane.cluster("the upgrade goes on", ({ status }) => {
    const isFree = findingOf(status?.findings, reason) === undefined;
    return isFree && (!isLast || status?.state === "Upgrade" || status?.version === lane.to().nodeTag);
  });
  assertWithin(NOTICED_MS, performance.now() - since, "the operator notices");
}

/** The log of the operator says that the cause is gone. */
export async function expectEndLogged(lane: Lane, { reason }: FrozenCase): Promise<void> {
  await expectLogged(lane, "a finding ended", reason, () => true);
}

const loggedFinding = z.object({ msg: z.string(), object: z.string(), evidence: z.string(), remedy: z.string() });
type LoggedFinding = z.output<typeof loggedFinding>;

/** The log of the operator names the cause (§7), also that of one that was started after the cause came. */
async function expectLogged(
  lane: Lane,
  msg: "a finding began" | "a finding ended",
  reason: string,
  isMet: (line: LoggedFinding) => boolean,
): Promise<string> {
  const command = `kubectl logs deployment/${OPERATOR_NAME} | grep -F '"finding":"${reason}"' || true`;
  const lines = async () =>
    (await lane.sh(command))
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => loggedFinding.parse(JSON.parse(line)));
  let found: LoggedFinding | undefined;
  const isThere = async (): Promise<boolean> => {
    found = (await lines()).find((line) => line.msg === msg && line.object === "rec/rec" && isMet(line));
    return found !== undefined;
  };
  await until(`the operator logs: ${msg}, ${reason}`, isThere, { withinMs: 30_000 });
  return `${reason} ${found?.evidence ?? ""} ${found?.remedy ?? ""}`;
}

/** Every node runs the release that the lane is on its way to, and nothing blocks. */
export async function expectArrived(lane: Lane): Promise<Rec> {
  const to = lane.to().nodeTag;
  const rec = await lane.cluster(`every node runs ${to}`, ({ metadata, status }) => {
    const isNew = status?.observedGeneration === metadata.generation;
    return isNew && status?.state === "Running" && status.version === to && status.replicas === 3;
  });
  assert.equal(count(rec, to), 3);
  assert.deepEqual(rec.status?.findings?.filter(({ severity }) => severity === "block") ?? [], []);
  return rec;
}

function findingOf(findings: readonly Finding[] | undefined, reason: string): Finding | undefined {
  return findings?.find(({ id, severity }) => id === reason && (severity === "block" || severity === "wait"));
}

/** Whether a Warning event of an object has this reason, and a message that matches both. */
export async function isReported(...event: Parameters<typeof reported>): Promise<boolean> {
  return (await reported(...event)) !== undefined;
}

async function reported(
  lane: Lane,
  name: string,
  reason: string,
  evidence: RegExp,
  remedy: RegExp,
): Promise<string | undefined> {
  const { items } = await lane.kube.list(Events, { namespace: lane.namespace });
  return items.find(
    ({ type, message = "", ...event }) =>
      event.involvedObject.name === name &&
      event.reason === reason &&
      type === "Warning" &&
      evidence.test(message) &&
      remedy.test(message),
  )?.message;
}

function count({ status }: Rec, tag: string): number {
  return (status?.nodes ?? []).filter(({ version }) => version === tag).length;
}
