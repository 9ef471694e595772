/** What one client did with keys that are its alone, one request after the other, and what it was answered. */
export interface Story {
  /** Of its client, and the beginning of its keys. */
  readonly name: string;
  readonly steps: readonly Step[];
}

/** One request. Times in nanoseconds by the steady clock of the machine. */
export interface Step {
  readonly command: readonly string[];
  readonly begin: number;
  readonly end: number;
  readonly answer: Answer;
}

export type Answer =
  | { readonly kind: "reply"; readonly reply: Answered }
  | { readonly kind: "error"; readonly text: string }
  /** The connection ended first: the outcome is not known. */
  | { readonly kind: "none" };

/** A reply; one that is an error has a place among others only in the reply to EXEC. */
export type Answered = string | number | null | { readonly error: string } | readonly Answered[];

/** From one moment to another, by the same clock. */
export interface Period {
  readonly from: number;
  readonly to: number;
}
