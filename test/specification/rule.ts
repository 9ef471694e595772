import { test } from "node:test";
import type { RuleName } from "./rules.ts";

/** A test that holds `name` in one case of it; `when` names the case. */
export function rule(name: RuleName, when: string, body: () => Promise<void> | void): Promise<void> {
  return test(when === "" ? name : `${name} (${when})`, body);
}

/** One step of a walk that holds several rules at once; a failing step fails them all. */
export function rules(
  names: readonly [RuleName, ...RuleName[]],
  when: string,
  body: () => Promise<void> | void,
): Promise<void> {
  return test(`${names.join("; ")}${when === "" ? "" : ` (${when})`}`, body);
}

/** A walk of dependent steps that holds several rules at once, under a title of its own. */
export function scenario(
  title: string,
  _names: readonly [RuleName, ...RuleName[]],
  body: () => Promise<void>,
): Promise<void> {
  return test(title, body);
}
