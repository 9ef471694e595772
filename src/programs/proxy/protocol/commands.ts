import { requestArguments, keyword } from "./arguments.ts";
import { mayCrossSlots } from "./crossing.ts";
import type { CommandClass, CommandEntry } from "./table/entry.ts";
import { NameTable } from "./table/name-table.ts";
import { COMMAND_TABLE } from "./table/table.ts";

/** Looks up the command whose name stands in `bytes`; undefined for one that is simply forwarded. */
export function classify(bytes: Buffer, at: number, length: number): CommandEntry | undefined {
  const found = NAMES.find(bytes, at, length);
  if (found !== undefined) {
    lastName = found.name;
    mayCrossLast = found.mayCross;
    return found.special;
  }
  mayCrossLast = false;
  const name = bytes.toString("latin1", at, at + length).toUpperCase();
  lastName = name;
  return QUICK_MODULES.has(name.split(".", 1)[0] ?? "") ? undefined : unknownCommand(name);
}

/** The name that was looked up last: of the last request that its reader has found, while that goes on. */
export function lastClassified(): string {
  return lastName;
}

/** True when the command that was looked up last may cross slots. */
export function lastMayCross(): boolean {
  return mayCrossLast;
}

let lastName = "";
let mayCrossLast = false;

/** The entry of a command's subcommand. Without one the engine gives the error. */
export function subcommandOf(container: CommandEntry, subcommand: Buffer | undefined): CommandEntry {
  if (subcommand === undefined) return { ...container, commandClass: "read" };
  const name = `${container.name}|${keyword(subcommand)}`;
  return COMMAND_TABLE.get(name) ?? unknownCommand(name);
}

/** True for a request that changes nothing, so that it may be sent twice. */
export function isRead(request: Buffer): boolean {
  const { commandClass, name } = entryOf(request);
  return commandClass === "read" || commandClass === "scan" || READING.has(name);
}

/** True for a request that reaches no data: the proxy answers it. */
export function staysHere(request: Buffer): boolean {
  return HERE.has(entryOf(request).commandClass);
}

/** True for a request that runs what is not the engine's own code, and so may be answered with any text. */
export function runsForeignCode(request: Buffer): boolean {
  return FOREIGN.has(entryOf(request).commandClass);
}

/** The entry of one whole request, that of its subcommand where it has one; never of class `container`. */
function entryOf(request: Buffer): CommandEntry {
  const [name, subcommand] = requestArguments(request.subarray(0, HEAD_BYTES));
  const entry = COMMAND_TABLE.get(keyword(name)) ?? unknownCommand(keyword(name));
  return entry.commandClass === "container" ? subcommandOf(entry, subcommand) : entry;
}

/** A name and a subcommand that are longer than this are of no command. */
const HEAD_BYTES = 256;

const NAMES = new NameTable(
  [...COMMAND_TABLE.values()]
    .filter(({ name }) => !name.includes("|"))
    .map((entry) => ({
      name: entry.name,
      special: isForwarded(entry.commandClass) ? undefined : entry,
      mayCross: mayCrossSlots(entry.name),
    })),
);
const READING: ReadonlySet<string> = new Set(["XREAD", "EVAL_RO", "EVALSHA_RO", "FCALL_RO", "VSIM"]);
const FOREIGN: ReadonlySet<CommandClass> = new Set(["script", "long", "unknown"]);
const HERE: ReadonlySet<CommandClass> = new Set([
  "client",
  "identity",
  "quit",
  "session",
  "subscription",
  "view",
  "parameters",
  "kill",
]);
/** Modules that answer each command at once, in the engine's own thread. */
const QUICK_MODULES: ReadonlySet<string> = new Set(["JSON", "BF", "CF", "CMS", "TOPK", "TDIGEST", "TS"]);

function isForwarded(commandClass: CommandClass): boolean {
  return commandClass === "read" || commandClass === "write";
}

function unknownCommand(name: string): CommandEntry {
  return { name, commandClass: "unknown", note: "" };
}
