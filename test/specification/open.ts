import type { RuleName } from "./rules.ts";

/** Rules that no test holds yet. A rule leaves this list with its first test, and none is ever added. */
export const OPEN: readonly RuleName[] = [];
