/** How a test ended. */
export type Outcome = "passed" | "failed" | "cancelled" | "skipped" | "todo";

/** A test or suite begins to run. */
export interface Begin {
  readonly kind: "begin";
  readonly id: number;
  /** Of the enclosing test; 0 at the top of the file. */
  readonly parent: number;
  readonly name: string;
}

/** A test or suite has ended. */
export interface End {
  readonly kind: "end";
  readonly id: number;
  readonly parent: number;
  readonly name: string;
  /** `<absolute file>:<line>:<column>` of the call that defined it. */
  readonly place: string;
  readonly isSuite: boolean;
  readonly ms: number;
  readonly outcome: Outcome;
  /** Why it was skipped; "" when that was not said, and for every other outcome. */
  readonly reason: string;
  /** What it failed with; "" for every other outcome, and for a test that failed only because of those inside it. */
  readonly error: string;
}

/** What node's runner says besides, for instance of an error after the last test. */
export interface Note {
  readonly kind: "note";
  readonly text: string;
}

/** Every test of the file has ended, and nothing keeps the process alive. */
export interface Summary {
  readonly kind: "summary";
}

/** The process ends, and so much processor time went to it and to all that it started and has seen end. */
export interface Used {
  readonly kind: "used";
  readonly seconds: number;
}

/** One line of what a test file reports while it runs. */
export type Line = Begin | End | Note | Summary | Used;
