import { requestArguments } from "../../../ports/resp/command-frame.ts";
import type { SessionParts } from "../client/session-parts.ts";
import { subcommandOf } from "../protocol/commands.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import { UNKNOWN_TO_ENGINE } from "../upstream/command-catalogue.ts";
import { servingRoutes } from "../upstream/only-route.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";

/** The parts of a session that look up a name. */
interface ResolvingSession {
  readonly endpoint: Pick<SessionEndpoint, "routes">;
  readonly turns: Pick<SessionParts["turns"], "waitFor">;
}

/** A request that is simply forwarded. */
export const PLAIN: CommandEntry = { name: "", commandClass: "write", note: "" };

/** The entry of the subcommand, or what the engines say of a command that is not in the table; undefined: not known yet. */
export function resolveCommand(
  session: ResolvingSession,
  request: Buffer,
  command: CommandEntry,
): CommandEntry | undefined {
  const entry = command.commandClass === "container" ? subcommandOf(command, requestArguments(request)[1]) : command;
  if (entry.commandClass !== "unknown") return entry;
  const catalogues = servingRoutes(session.endpoint).flatMap(({ upstream }) => upstream?.catalogue ?? []);
  // without an engine the request waits, or gets the error that says so
  if (catalogues.length === 0) return PLAIN;
  const unasked = catalogues.find((catalogue) => catalogue.classOf(entry.name) === undefined);
  if (unasked !== undefined) {
    session.turns.waitFor(unasked.learn(entry.name));
    return undefined;
  }
  const classes = catalogues.flatMap((catalogue) => catalogue.classOf(entry.name) ?? []);
  // one of another version may know it, and would execute it
  const commandClass = classes.find((one) => one !== UNKNOWN_TO_ENGINE) ?? UNKNOWN_TO_ENGINE;
  return { ...entry, commandClass, note: "this release does not know it" };
}
