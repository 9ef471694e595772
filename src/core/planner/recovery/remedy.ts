import type { FindingId } from "../prerequisites/finding-ids.ts";
import type { RecoveryCause, Supplied, Recovery, RecoveryFacts } from "./recovery.ts";

/** What a remedy is worked out from. */
export interface RemedyFacts extends RecoveryFacts {
  readonly cause: RecoveryCause;
  readonly given: Supplied;
}

/** What clears one cause; a part that is absent is empty. */
export type Remedy = Partial<Pick<Recovery, "acts" | "needs" | "irreversible" | "otherwise">>;

/** Works out the remedy from facts alone; undefined when a person has to act this time. */
export type RemedyRule = (facts: RemedyFacts) => Remedy | undefined;

/** Remedies of some findings. */
export type Remedies = Partial<Readonly<Record<FindingId, RemedyRule>>>;
