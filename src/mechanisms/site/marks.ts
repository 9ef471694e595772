import type { Arg } from "../../ports/resp/encode.ts";
import type { EngineCommand } from "../../core/merge/engine-writes.ts";

/** Where marks are written: a numbered database that clients of an Active-Active database cannot select. */
const MARK_DATABASE = 15;
const MARK_KEY = "site:mark";

/** A transaction that begins with a mark, which comes back in the stream of the engine even if the rest changes nothing. */
export function markedTransaction(mark: string, commands: readonly EngineCommand[]): readonly (readonly Arg[])[] {
  const bytes = commands.map((command) => command.map((arg) => Buffer.from(arg, "latin1")));
  return [["MULTI"], ["SELECT", MARK_DATABASE], ["SET", MARK_KEY, mark], ["SELECT", 0], ...bytes, ["EXEC"]];
}

/** The mark that a command of the stream writes; undefined of another command. */
export function markOf(args: readonly string[], database: number): string | undefined {
  const [name, key, mark] = args;
  return database === MARK_DATABASE && key === MARK_KEY && name?.toUpperCase() === "SET" ? mark : undefined;
}
