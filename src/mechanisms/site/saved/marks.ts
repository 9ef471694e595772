import { argumentAt, type CommandFrame } from "../../../ports/resp/command-frame.ts";
import type { Arg } from "../../../ports/resp/encode.ts";
import type { EngineCommand } from "../../../core/merge/state/engine-writes.ts";

/** Where the state of the link lies: a numbered database that clients of an Active-Active database cannot select. */
export const LINK_DATABASE = 15;
/** Its keys: the mark of the last transaction, what was saved, what came since, a key that is only written, and one that is there while the site gets all its data. */
export const LINK_KEYS = {
  mark: "site:mark",
  checkpoint: "site:checkpoint",
  log: "site:log",
  confirmation: "site:confirmation",
  transfer: "site:transfer",
} as const;

/** A mark by which the link of an engine is asked to write down how far it is. */
export const PLACE_ASKED = "place";

/** A command for the database of the link; each character of a string is a byte. */
export type LinkKeyCommand = readonly Arg[];

/** A transaction that begins with what the link keeps; a mark in it comes back in the stream even if the rest changes nothing. */
export function linkTransaction(
  kept: readonly LinkKeyCommand[],
  writes: readonly EngineCommand[],
): readonly LinkKeyCommand[] {
  return [["MULTI"], ["SELECT", LINK_DATABASE], ...kept, ["SELECT", 0], ...writes, ["EXEC"]];
}

/** A transaction like one of a client: the link captures what it does. */
export function asClient(writes: readonly EngineCommand[]): readonly LinkKeyCommand[] {
  return [["MULTI"], ...writes, ["EXEC"]];
}

/** Writes a mark for who reads `key`. */
export function writeMark(mark: string, key: string): LinkKeyCommand {
  return ["SET", key, mark];
}

/** The mark that a command of the stream writes for who reads `key`; undefined of another command. What asks all links of an engine has the common key. */
export function markOf({ name, frame, database }: CommandFrame, key: string): string | undefined {
  if (database !== LINK_DATABASE || name !== "SET") return undefined;
  const written = argumentAt(frame, 1);
  return written === key || written === LINK_KEYS.mark ? argumentAt(frame, 2) : undefined;
}
