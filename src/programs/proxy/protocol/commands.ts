import { hasOneKeyFirst } from "../../../core/slots/keys-of.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { keyword } from "./arguments.ts";
import { mayCrossSlots } from "./crossing.ts";
import type { CommandClass, CommandEntry } from "./table/entry.ts";
import { COMMAND_TABLE } from "./table/table.ts";

/** Looks up the command whose name stands in `bytes`; undefined for one that is simply forwarded. */
export function classify(bytes: Buffer, at: number, length: number): CommandEntry | undefined {
  const found = NAMES.find(bytes, at, length);
  if (found !== undefined) {
    lastName = found.name;
    lastCommand = found;
    return found.special;
  }
  lastCommand = undefined;
  const name = bytes.toString("latin1", at, at + length).toUpperCase();
  lastName = name;
  return isOfQuickModule(name) ? undefined : unknownCommand(name);
}

/** The name that was looked up last: of the last request that its reader has found, while that goes on. */
export function lastClassified(): string {
  return lastName;
}

/** True when the command that was looked up last may cross slots. */
export function lastMayCross(): boolean {
  return lastCommand?.mayCross === true;
}

/** True when the only key of the command that was looked up last is the first word behind its name. */
export function lastHasOneKey(): boolean {
  return lastCommand?.hasOneKey === true;
}

let lastName = "";
let lastCommand: NamedCommand | undefined;

/** The entry of a command's subcommand. Without one the engine gives the error. */
export function subcommandOf(container: CommandEntry, subcommand: Buffer | undefined): CommandEntry {
  if (subcommand === undefined) return { ...container, commandClass: "read" };
  const name = `${container.name}|${keyword(subcommand)}`;
  return COMMAND_TABLE.get(name) ?? unknownCommand(name);
}

/** True for the name of no command or subcommand that this release knows, nor of one of a module that it knows. */
export function isUnlisted(name: string): boolean {
  return !COMMAND_TABLE.has(name) && !isOfQuickModule(name);
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

/** What a name stands for: `special` is undefined for a command that is simply forwarded. */
interface NamedCommand {
  readonly name: string;
  readonly special: CommandEntry | undefined;
  /** Its keys may lie in several slots, and must lie in one once the database has several shards. */
  readonly mayCross: boolean;
  /** Its only key is the first word behind its name. */
  readonly hasOneKey: boolean;
}

/** Finds commands by the bytes of their names, in any case, without making a string. */
export class NameTable {
  /** By three letters and the length: the number of the first command with these, counted from 1. */
  readonly #first = new Uint16Array(1 << 16);
  /** By number: the folded name, the command, and the next number with the same letters and length. */
  readonly #names: Uint8Array[] = [EMPTY];
  readonly #commands: (NamedCommand | undefined)[] = [undefined];
  readonly #next: number[] = [0];

  constructor(commands: readonly NamedCommand[]) {
    for (const command of commands) {
      const bytes = Buffer.from(command.name, "latin1").map((byte) => byte & FOLD);
      const hint = hintOf(bytes, 0, bytes.length);
      this.#next.push(this.#first[hint] ?? 0);
      this.#first[hint] = this.#names.length;
      this.#names.push(bytes);
      this.#commands.push(command);
    }
  }

  /** The command whose name lies in `bytes`; undefined when there is none. */
  find(bytes: Uint8Array, start: number, length: number): NamedCommand | undefined {
    if (length === 0) return undefined;
    let at = this.#first[hintOf(bytes, start, length)] ?? 0;
    while (at !== 0 && !sameName(this.#names[at] ?? EMPTY, bytes, start, length)) at = this.#next[at] ?? 0;
    return this.#commands[at];
  }
}

const EMPTY = new Uint8Array(0);
/** Makes small letters capitals. What it does to other bytes makes no two names of commands equal. */
const FOLD = 0xdf;

function hintOf(bytes: Uint8Array, start: number, length: number): number {
  const last = bytes[start + length - 1] ?? 0;
  return (((bytes[start] ?? 0) & 31) << 11) | (((bytes[start + 1] ?? 0) & 31) << 6) | ((last & 31) << 1) | (length & 1);
}

function sameName(name: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (name.length !== length) return false;
  for (let i = 0; i < length; i++) if (name[i] !== ((bytes[start + i] ?? 0) & FOLD)) return false;
  return true;
}

const NAMES = new NameTable(
  [...COMMAND_TABLE.values()]
    .filter(({ name }) => !name.includes("|"))
    .map((entry) => ({
      name: entry.name,
      special: isForwarded(entry.commandClass) ? undefined : entry,
      mayCross: mayCrossSlots(entry.name),
      hasOneKey: hasOneKeyFirst(entry.name),
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

function isOfQuickModule(name: string): boolean {
  return QUICK_MODULES.has(name.split(".", 1)[0] ?? "");
}

function isForwarded(commandClass: CommandClass): boolean {
  return commandClass === "read" || commandClass === "write";
}

function unknownCommand(name: string): CommandEntry {
  return { name, commandClass: "unknown", note: "" };
}
