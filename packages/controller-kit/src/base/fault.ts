/** Whether trying the same thing again can help, and how soon. */
export type Retry = "never" | "backoff";

/** One row of a room's table of faults: the stable code and the way out. */
export interface FaultSpec {
  /** Stable, upper case, prefixed with the room: `KUBE_CONFLICT`. Has a heading in docs/errors.md. */
  readonly code: string;
  readonly retry: Retry;
  /** What the user does about it; a command where there is one. */
  readonly remedy: string;
  /** The remedy for a person at a terminal, where `remedy` is for an administrator who runs a program. */
  readonly forPeople?: string;
}

/** The one error class of this project. Match on `code`, never on the message. */
export class Fault extends Error {
  readonly code: string;
  readonly retry: Retry;
  readonly remedy: string;
  /** The remedy for a person at a terminal. */
  readonly forPeople: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(spec: FaultSpec, message: string, details: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "Fault";
    this.code = spec.code;
    this.retry = spec.retry;
    this.remedy = spec.remedy;
    this.forPeople = spec.forPeople ?? spec.remedy;
    this.details = details;
  }
}

/** True when `error` is a Fault of this row. */
export function isFault(error: unknown, spec: FaultSpec): error is Fault {
  return error instanceof Fault && error.code === spec.code;
}

/** A sentence for people out of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
