import type { RuleName } from "../kit/specification/rules.ts";

/** Rules that no test holds yet. A rule leaves this list with its first test, and no rule that had one comes here. */
export const OPEN: readonly RuleName[] = [
  "§4.3.3 the bundle is applied; images of a private registry are taken from where the spec points",
];
