import type { Cause, Given, Recovery, RecoveryFacts } from "./recovery.ts";

/** What a remedy is worked out from. */
export interface RemedyFacts extends RecoveryFacts {
  readonly cause: Cause;
  readonly given: Given;
}

/** What is to be done about one cause; what it leaves out is empty. */
export type Remedy = Partial<Pick<Recovery, "acts" | "needs" | "irreversible" | "otherwise">>;

/** Works out the remedy from facts alone; undefined when this time there is none but by hand. */
export type RemedyRule = (facts: RemedyFacts) => Remedy | undefined;

export type Remedies = Readonly<Record<string, RemedyRule>>;
