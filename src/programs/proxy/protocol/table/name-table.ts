import type { CommandEntry } from "./entry.ts";

/** What a name stands for: `special` is undefined for a command that is simply forwarded. */
export interface NamedCommand {
  readonly name: string;
  readonly special: CommandEntry | undefined;
  /** Its keys may lie in several slots, and must lie in one once the database has several shards. */
  readonly mayCross: boolean;
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
