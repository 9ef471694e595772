import { test } from "node:test";
import type { RuleName } from "./rules.ts";

/** A test that holds `name` in one case of it; `when` tells the cases of a rule apart. */
export function rule(name: RuleName, when: string, body: () => Promise<void> | void): void {
  test(when === "" ? name : `${name} (${when})`, body);
}

/** One step of a walk that holds several rules at once; a failing step fails them all. */
export function rules(names: readonly [RuleName, ...RuleName[]], when: string, body: () => Promise<void> | void): void {
  test(`${names.join("; ")}${when === "" ? "" : ` (${when})`}`, body);
}
