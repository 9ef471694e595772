import type { Finding } from "../../../core/api/parts.ts";
import { Fault } from "#kit/base/fault";
import type { FaultSpec } from "#kit/base/fault";
import { sentenceOf } from "../../../core/planner/findings/finding.ts";

/** A move that a user must make possible first: nothing was touched, and the finding says what to do. */
export class ObstructedMove extends Fault {
  readonly obstacle: Finding;

  constructor(spec: FaultSpec, obstacle: Finding, details: Readonly<Record<string, unknown>>) {
    super(spec, sentenceOf(obstacle), details);
    this.obstacle = obstacle;
  }
}
