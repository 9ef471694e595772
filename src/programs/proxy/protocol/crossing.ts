import { keysOf, mayNameSeveralKeys } from "../../../core/slots/keys-of.ts";
import { slotOf } from "../../../core/slots/slot.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { keyword } from "./arguments.ts";

/** True for a command whose keys may lie in several slots now, and must lie in one once the database has several shards. */
export function mayCrossSlots(command: string): boolean {
  return mayNameSeveralKeys(command) && !SPLIT.has(command);
}

/** True for such a request whose keys do lie in several slots. */
export function crossesSlots(command: string, request: Buffer): boolean {
  if (!mayCrossSlots(command)) return false;
  const [first, ...others] = slotsIn(command, request);
  return others.some((slot) => slot !== first);
}

/** The slots of the keys of a request; empty when it has none, or no engine would execute it. */
export function slotsIn(command: string, request: Buffer): readonly number[] {
  const args = requestArguments(request);
  const keys = keysOf(command, { length: args.length, wordAt: (at) => keyword(args[at]) });
  return (keys ?? []).flatMap((at) => args[at] ?? []).map((key) => slotOf(key));
}

/** Commands of which each key is asked for by itself, so that shards may answer parts of them. */
const SPLIT: ReadonlySet<string> = new Set(["DEL", "EXISTS", "MGET", "MSET", "TOUCH", "UNLINK"]);
