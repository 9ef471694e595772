import type { CommandEntry } from "./entry.ts";

/** What a name stands for: `special` is undefined for a command that is simply forwarded. */
export interface NamedCommand {
  readonly name: string;
  readonly special: CommandEntry | undefined;
}

/** Finds commands by the bytes of their names, in any case, without making a string. */
export class NameTable {
  readonly #slots: (Slot | undefined)[] = Array.from({ length: SLOTS });

  constructor(commands: readonly NamedCommand[]) {
    for (const command of commands) {
      const bytes = Buffer.from(command.name, "latin1");
      let at = hashOf(bytes, 0, bytes.length);
      while (this.#slots[at] !== undefined) at = (at + 1) & MASK;
      this.#slots[at] = { bytes, command };
    }
  }

  /** The command whose name lies in `bytes`; undefined when there is none. */
  find(bytes: Uint8Array, start: number, length: number): NamedCommand | undefined {
    if (length === 0 || length > LONGEST) return undefined;
    for (let at = hashOf(bytes, start, length); ; at = (at + 1) & MASK) {
      const slot = this.#slots[at];
      if (slot === undefined) return undefined;
      if (slot.bytes.length === length && sameName(slot.bytes, bytes, start)) return slot.command;
    }
  }
}

interface Slot {
  readonly bytes: Uint8Array;
  readonly command: NamedCommand;
}

/** Several times as many as there are commands, so that most names are found at once. */
const SLOTS = 2048;
const MASK = SLOTS - 1;
const LONGEST = 32;
const A = 97;
const Z = 122;
const CASE = 32;

function hashOf(bytes: Uint8Array, start: number, length: number): number {
  let hash = length;
  for (let i = 0; i < length; i++) hash = (Math.imul(hash, 31) + ((bytes[start + i] ?? 0) & ~CASE)) | 0;
  return (hash ^ (hash >>> 11)) & MASK;
}

function sameName(name: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < name.length; i++) {
    const byte = bytes[start + i] ?? 0;
    if (name[i] !== (byte >= A && byte <= Z ? byte - CASE : byte)) return false;
  }
  return true;
}
