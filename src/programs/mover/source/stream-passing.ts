import { Fault } from "#kit/base/fault";
import { assertNever } from "#kit/base/assert-never";
import { keysIn, passageOf, STAYS, targetAt, wordsOfPart, type Destinations } from "../../../core/slots/passage.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { StreamedFrame } from "../../../ports/resp/streamed-frame.ts";
import { faults } from "../faults.ts";
import { MisplacedNames } from "./misplaced-keys.ts";
import { TouchedKeys } from "./touched-keys.ts";

/** What a target gets of the stream of one source. */
export interface StreamTarget {
  /** A command, or several that belong together. */
  readonly stream: (database: number, bytes: Uint8Array) => void;
}

export interface StreamPassingOptions {
  readonly destinations: Destinations;
  readonly targets: readonly StreamTarget[];
  /** Places of the targets that get the functions of this source. */
  readonly forFunctions: readonly number[];
  /** The source is the only one of its targets, and they have nothing but its data. */
  readonly isOnly: boolean;
}

/** Passes the stream of a source on: to each target what it does to the slots of that target. */
export class StreamPassing {
  /** Keys of which a target does not have the value of the source. */
  readonly touched = new TouchedKeys();
  /** Keys of which no target gets anything. */
  readonly misplaced = new MisplacedNames();
  readonly #options: StreamPassingOptions;
  #database = 0;
  /** What each target gets of the transaction that is open, each with its database. */
  #transaction: Map<number, { readonly database: number; readonly bytes: Uint8Array }[]> | undefined;

  constructor(options: StreamPassingOptions) {
    this.#options = options;
  }

  /** The numbered database that is selected. */
  get database(): number {
    return this.#database;
  }

  /** The next command. MOVER_FLUSHED or MOVER_UNKNOWN_COMMAND when no target can have what the source has. */
  pass(frame: Buffer): void {
    const command = new StreamedFrame(frame);
    switch (command.name) {
      case "SELECT":
        this.#database = Number(command.wordAt(1));
        return;
      case "MULTI":
        this.#transaction = new Map();
        return;
      case "EXEC":
        this.#execute();
        return;
      default:
        this.#passOne(command);
    }
  }

  /** What another than the source does to a key of a target: in the stream of that target, behind all that was passed on. */
  give(target: number, database: number, bytes: Uint8Array): void {
    if (this.#transaction === undefined) {
      this.#options.targets[target]?.stream(database, bytes);
      return;
    }
    const commands = this.#transaction.get(target);
    if (commands === undefined) this.#transaction.set(target, [{ database, bytes }]);
    else commands.push({ database, bytes });
  }

  #passOne(command: StreamedFrame): void {
    const { destinations, targets, forFunctions } = this.#options;
    const passage = passageOf(command, destinations);
    switch (passage.kind) {
      case "dropped":
        return;
      case "whole":
        if (passage.target === STAYS) return this.#noteMisplaced(command, keysIn(command) ?? []);
        if (this.touched.size > 0 && this.#touches(command, keysIn(command) ?? [])) return;
        this.give(passage.target, this.#database, command.frame);
        return;
      case "split":
        this.#noteMisplaced(command, passage.keys);
        for (const at of targets.keys()) this.#giveParts(command, passage.keys, at);
        return;
      case "crossing":
        this.#noteMisplaced(command, passage.keys);
        this.#touch(command, passage.keys);
        return;
      case "everywhere":
        for (const at of forFunctions) this.give(at, this.#database, command.frame);
        return;
      case "databases":
        this.#passDatabases(command);
        return;
      case "unknown":
        throw new Fault(faults.unknownCommand, `A client has used ${command.name}.`, { command: command.name });
      default:
        assertNever(passage);
    }
  }

  #noteMisplaced(command: StreamedFrame, keys: readonly number[]): void {
    const other = otherDatabase(command);
    for (const at of keys) {
      if (targetAt(command, at, this.#options.destinations) !== STAYS) continue;
      const [key, isLast] = [command.bytesAt(at), at === keys.at(-1)];
      if (endsKey(command.name, isLast)) this.misplaced.delete(this.#database, key);
      if (makesKey(command.name, isLast)) this.misplaced.add((isLast ? other : undefined) ?? this.#database, key);
    }
  }

  #giveParts(command: StreamedFrame, keys: readonly number[], target: number): void {
    const words = wordsOfPart(command, keys, (at) => targetAt(command, at, this.#options.destinations) === target);
    // all of them have been set, so whatever is there is written over
    const name = command.name === "MSETNX" ? "MSET" : command.name;
    if (words.length > 0) this.give(target, this.#database, encodeCommand([name, ...words]));
  }

  /** True, and all keys of the command are touched, when one of them is: what it does to the others depends on it. */
  #touches(command: StreamedFrame, keys: readonly number[]): boolean {
    if (!keys.some((at) => this.touched.has(this.#database, command.bytesAt(at)))) return false;
    this.#touch(command, keys);
    return true;
  }

  #touch(command: StreamedFrame, keys: readonly number[]): void {
    const other = otherDatabase(command);
    for (const at of keys) {
      this.touched.add(this.#database, command.bytesAt(at));
      if (other !== undefined) this.touched.add(other, command.bytesAt(at));
    }
  }

  #passDatabases(command: StreamedFrame): void {
    const { isOnly, targets } = this.#options;
    if (!isOnly || this.touched.size > 0)
      throw new Fault(faults.flushed, `A client has used ${command.name} while its data were copied.`);
    for (const at of targets.keys()) this.give(at, this.#database, command.frame);
  }

  #execute(): void {
    const parts = this.#transaction ?? new Map();
    this.#transaction = undefined;
    for (const [target, commands] of parts) {
      const [first] = commands;
      if (first === undefined) continue;
      if (commands.length === 1) this.give(target, first.database, first.bytes);
      else this.give(target, first.database, blockOf(commands));
    }
  }
}

/** One transaction, with what selects databases in it. */
function blockOf(commands: readonly { readonly database: number; readonly bytes: Uint8Array }[]): Buffer {
  const first = commands[0]?.database ?? 0;
  let selected = first;
  const parts: Uint8Array[] = [encodeCommand(["MULTI"])];
  for (const { database, bytes } of commands) {
    if (database !== selected) parts.push(encodeCommand(["SELECT", database]));
    selected = database;
    parts.push(bytes);
  }
  // as it was before: whoever passes it on knows of the first one alone
  if (selected !== first) parts.push(encodeCommand(["SELECT", first]));
  parts.push(encodeCommand(["EXEC"]));
  return Buffer.concat(parts);
}

/** A key is not there any more, in the database that is selected. */
function endsKey(command: string, isLast: boolean): boolean {
  return isDeletion(command) || command === "MOVE" || (isRenaming(command) && !isLast);
}

/** A key is there, as far as the command alone shows. */
function makesKey(command: string, isLast: boolean): boolean {
  return !isDeletion(command) && (!isRenaming(command) || isLast);
}

function isDeletion(command: string): boolean {
  return command === "DEL" || command === "UNLINK";
}

function isRenaming(command: string): boolean {
  return command === "RENAME" || command === "RENAMENX";
}

/** The database that a command names besides the selected one. */
function otherDatabase(command: StreamedFrame): number | undefined {
  if (command.name === "MOVE") return Number(command.wordAt(2));
  return command.name === "COPY" && command.wordAt(3) === "DB" ? Number(command.wordAt(4)) : undefined;
}
