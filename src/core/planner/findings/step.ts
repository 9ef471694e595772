import type { Finding } from "../../api/parts.ts";
import { isPause, pause } from "./finding.ts";

/** What every planner answers: the one thing that is done next, what it waits for, or that nothing is to be done. */
export type Step<Act> = ActOf<Act> | WaitStep | Rest;

/** Something is done, and why. */
export interface ActOf<Act> {
  readonly kind: "act";
  readonly act: Act;
  readonly why: string;
}

/** Nothing is to be done. */
export interface Rest {
  readonly kind: "rest";
}

/** Nothing is done before this has ended. */
export interface WaitStep {
  readonly kind: "wait";
  readonly wait: Finding;
  /** What a user has to end first, where what is waited for ends unasked otherwise. */
  readonly cause?: Finding;
}

/** The step that does `what`. */
export function act<Act>(what: Act, why: string): Step<Act> {
  return { kind: "act", act: what, why };
}

/** The step that waits for what a finding names. */
export function waitFor(finding: Finding): WaitStep {
  return { kind: "wait", wait: finding };
}

/** The step that waits for what ends unasked. */
export function waitUnasked(id: string, evidence: string): WaitStep {
  return waitFor(pause(id, evidence));
}

/** The step of what is as it is to be. */
export const REST: Rest = { kind: "rest" };

/** What users are to know of a step; undefined of one that does not wait, or waits for what ends unasked. */
export function findingBehind(step: Step<unknown>): Finding | undefined {
  if (step.kind !== "wait") return undefined;
  return step.cause ?? (isPause(step.wait) ? undefined : step.wait);
}
