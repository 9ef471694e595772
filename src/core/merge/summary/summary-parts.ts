import type { MergedState } from "../state/merged-state.ts";
import type { Summary, SummaryPart } from "./summary.ts";
import type { VersionVector } from "../operations/version-vector.ts";

/**
 * The state of all keys that a site with only `received` does not know completely, so many keys a part. Each part is of the moment when it is
 * asked for; `now` says what was received then.
 */
export function* summaryParts(
  state: MergedState,
  now: () => Pick<Summary, "received" | "clock" | "seenBy">,
  received: VersionVector,
  partKeys: number,
): Generator<SummaryPart> {
  const begin = now().received;
  const part = (keys: readonly string[], isLast: boolean): SummaryPart => {
    const known = keys.flatMap((key) => {
      const of = state.stateOf(key);
      return of === undefined ? [] : { key, state: of };
    });
    return { ...now(), flushes: state.flushes, keys: known, isLast };
  };
  const keys = state.keysFor(received);
  for (let at = 0; at < keys.length; at += partKeys) yield part(keys.slice(at, at + partKeys), false);
  // what has changed meanwhile is sent again, so that all keys are of one moment
  yield part(state.keysFor(begin), true);
}
