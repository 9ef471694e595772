/** One step of a plan as people read it. */
export interface PlanStep {
  readonly stage: "operator" | "cluster" | "kubernetes" | "modules" | "databases";
  readonly from: string;
  readonly to: string;
  readonly does: string;
  /** What is started anew. */
  readonly restarts: string;
  /** Who waits, and for how long. */
  readonly pauses: string;
  /** What cannot be undone afterwards; empty when everything can. */
  readonly irreversible: string;
  /** The person who has to agree first; empty when no agreement is needed. */
  readonly consent: string;
  readonly commands: readonly string[];
  /** What users should know beforehand. */
  readonly notes: readonly string[];
}
