import type { KeyState } from "../../../core/merge/state/key-state.ts";
import { entries } from "../../../core/merge/state/key-view.ts";
import { siteOf } from "../../../core/merge/operations/origin.ts";
import { compareTimestamps } from "../../../core/merge/operations/timestamp.ts";
import type { KeyAt } from "../../../core/merge/state/uncaptured-effects.ts";
import type { FoundDifference } from "../../../mechanisms/site/state/agreement.ts";
import type { DifferingKey } from "../../../ports/management/link-control.ts";

/** A key that differs, as it is shown: without its values. */
export function differingKey({ key, here, there }: FoundDifference, since: string): DifferingKey {
  return { key: shownName(key), here: stateText(here), there: stateText(there), since };
}

const LONGEST = 100;

/** Each character of a name is a byte. */
function shownName(key: string): string {
  const cut = key.length > LONGEST ? `${key.slice(0, LONGEST)}…` : key;
  return JSON.stringify(cut).slice(1, -1);
}

function stateText({ held, state }: KeyAt): string {
  const { type, elements, until } = held;
  const version = shownVersion(state);
  if (type === undefined) return `nothing${version}`;
  const time = until === undefined ? "no time of expiry" : `until ${new Date(until).toISOString()}`;
  const value = elements.get("");
  const size = type === "string" || type === "list" ? (value?.length ?? 0) : elements.size;
  const unit = type === "string" ? "bytes" : "elements";
  return `a ${type} of ${size} ${unit}, ${time}${version}`;
}

/** The last write that all sites have not agreed on yet. */
function shownVersion({ latest }: KeyState): string {
  const stamps = entries(latest).map(([, stamp]) => stamp);
  const last = stamps.toSorted((a, b) => compareTimestamps(a.at, b.at)).at(-1);
  if (last === undefined) return "";
  return `, written by site ${siteOf(last.dot.origin)} at ${new Date(last.at.wall).toISOString()}`;
}
