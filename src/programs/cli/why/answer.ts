/** One thing that blocks now, will block later, or could not be looked at. */
export interface WhyAnswer {
  /** `blocks`: it stands in the way; `warns`: nothing waits for it yet; `unknown`: the caller could not look. */
  readonly level: "blocks" | "warns" | "unknown";
  /** `rec/<name>`, `redb/<name>` or `deployment/<name>`. */
  readonly object: string;
  readonly rule: string;
  readonly evidence: string;
  /** Since when, as a timestamp; empty when it is not known. */
  readonly since: string;
  /** The command that clears it, or what it waits for. */
  readonly clears: string;
}

/** What blocks, seen just now. */
export function blockedAnswer(object: string, rule: string, evidence: string, clears: string): WhyAnswer {
  return { level: "blocks", object, rule, evidence, since: "", clears };
}

/** What the caller could not look at. */
export function notLookedAt(object: string, evidence: string, clears: string): WhyAnswer {
  return { level: "unknown", object, rule: "NotLookedAt", evidence, since: "", clears };
}
