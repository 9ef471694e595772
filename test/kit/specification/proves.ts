import assert from "node:assert/strict";
import { messageOf } from "#kit/base/fault";
import { until } from "#kit/testing/until";
import type { RuleName } from "./rules.ts";

/** An assertion that fails without the behaviour of a rule; its first argument is what the running programs showed. */
export interface Proof {
  equal(seen: unknown, wanted: unknown): void;
  notEqual(seen: unknown, unwanted: unknown): void;
  deepEqual(seen: unknown, wanted: unknown): void;
  match(seen: string | undefined, wanted: RegExp): void;
  doesNotMatch(seen: string, unwanted: RegExp): void;
  /** Awaits what only asking again can show. */
  until(isSeen: () => boolean | Promise<boolean>, patience?: Parameters<typeof until>[2]): Promise<void>;
}

/**
 * Claims a rule of the contract for the one assertion that is called on it: `proves("§…", "what is looked at").equal(…)`.
 * docs/specification.md counts these calls, and prints what each looks at; both arguments are literals.
 */
export function proves(rule: RuleName, looksAt: string): Proof {
  const claim = `"${rule}" does not hold: ${looksAt}`;
  const claimed =
    <A extends readonly unknown[]>(check: (...args: A) => void) =>
    (...args: A): void => {
      try {
        check(...args);
      } catch (error) {
        throw new Error(`${claim}: ${messageOf(error)}`, { cause: error });
      }
    };
  return {
    equal: claimed((seen, wanted) => assert.equal(seen, wanted)),
    notEqual: claimed((seen, unwanted) => assert.notEqual(seen, unwanted)),
    deepEqual: claimed((seen, wanted) => assert.deepEqual(seen, wanted)),
    match: claimed((seen, wanted) => assert.match(seen ?? "", wanted)),
    doesNotMatch: claimed((seen, unwanted) => assert.doesNotMatch(seen, unwanted)),
    until: (isSeen, patience) => until(claim, isSeen, patience),
  };
}
