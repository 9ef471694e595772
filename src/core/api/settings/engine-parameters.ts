import { PARAMETERS } from "./parameter-table.ts";
import { compareVersionText } from "#kit/base/version";
import type { Directives } from "./setting.ts";

/** The text of what a spec says; empty for nothing. */
export function parametersText(written: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(written)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(" ");
}

/** The directive of each parameter: one that the text does not name has its default, so that it can be taken back. */
export function parameterDirectives(text: string): Directives {
  return Object.fromEntries([...valuesIn(text)].filter(([name]) => name !== SCRIPT_LIMIT));
}

/** The directives that an engine of that version has; with another one it does not start. */
export function knownDirectives(version: string, directives: Directives): Directives {
  const isKnown = (name: string): boolean =>
    (compareVersionText(version, PARAMETERS[name]?.since ?? version) ?? 0) >= 0;
  return Object.fromEntries(Object.entries(directives).filter(([name]) => isKnown(name)));
}

/** How long a script may run until other clients get the answer BUSY, in milliseconds; 0 for as long as it likes. */
export function scriptLimitMs(text: string): number {
  return Number(valuesIn(text).get(SCRIPT_LIMIT));
}

/** Engines have one of their own, much lower, so that a script can be ended early; endpoints wait for the rest. */
const SCRIPT_LIMIT = "lua-time-limit";

/** Whether endpoints apply it, and no engine. */
export function isOfEndpoints(name: string): boolean {
  return name === SCRIPT_LIMIT;
}

/** What a text says, by name. */
export function parametersIn(text: string): ReadonlyMap<string, string> {
  const words = text.split(" ").filter((word) => word !== "");
  return new Map(words.map((word) => [word.split("=", 1)[0] ?? "", word.slice(word.indexOf("=") + 1)]));
}

function valuesIn(text: string): ReadonlyMap<string, string> {
  const defaults = Object.entries(PARAMETERS).map(([name, { fallback }]) => [name, fallback] as const);
  return new Map([...defaults, ...parametersIn(text)]);
}

/** True for a parameter that can be set, with a value that it can have, in the form of engines. */
export function isParameter([name, value]: readonly [string, string]): boolean {
  const values = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name]?.values : undefined;
  if (values === undefined || values.pattern.test(value)) return values !== undefined;
  const parsed = values.parse(value);
  return "value" in parsed && parsed.value === value;
}
