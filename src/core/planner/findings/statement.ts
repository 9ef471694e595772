import type { Condition } from "../../api/parts.ts";

/** A condition before it is stamped with the time. */
export type Statement = Omit<Condition, "lastTransitionTime">;
