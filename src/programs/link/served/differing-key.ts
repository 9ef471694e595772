import type { HeldKey } from "../../../core/merge/held-key.ts";
import type { FoundDifference } from "../../../mechanisms/site/agreement.ts";
import type { DifferingKey } from "../../../ports/management/link-control.ts";

/** A key that differs, as it is shown: without its values. */
export function differingKey({ key, here, there }: FoundDifference, since: string): DifferingKey {
  return { key: shownName(key), here: shown(here.held), there: shown(there.held), since };
}

const LONGEST = 100;

/** Each character of a name is a byte. */
function shownName(key: string): string {
  const cut = key.length > LONGEST ? `${key.slice(0, LONGEST)}…` : key;
  return JSON.stringify(cut).slice(1, -1);
}

function shown({ type, elements, until }: HeldKey): string {
  if (type === undefined) return "nothing";
  const time = until === undefined ? "no time of expiry" : `until ${new Date(until).toISOString()}`;
  const value = elements.get("");
  const size = type === "string" || type === "list" ? (value?.length ?? 0) : elements.size;
  const unit = type === "string" ? "bytes" : "elements";
  return `a ${type} of ${size} ${unit}, ${time}`;
}
