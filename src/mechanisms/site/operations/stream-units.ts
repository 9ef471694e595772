import { argumentsOf, type CommandFrame } from "../../../ports/resp/command-frame.ts";
import { markOf } from "../saved/marks.ts";
import type { KeptKeys } from "../saved/slice.ts";

/** What one client, or the site itself, did at once. */
export type StreamUnit =
  | { readonly kind: "mark"; readonly mark: string; readonly writes: readonly CommandFrame[] }
  | { readonly kind: "writes"; readonly commands: readonly (readonly string[])[] };

/** Puts commands of a stream together: a transaction is one unit, and one with a mark is the site's own. */
export class StreamUnits {
  readonly #markKey: string;
  #open: CommandFrame[] | undefined;

  /** Of a site whose link writes its marks to this key. */
  constructor({ mark }: Pick<KeptKeys, "mark">) {
    this.#markKey = mark;
  }

  /** Within a transaction. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** The unit that ends with the command; undefined within a transaction, and of what clients cannot have written. */
  add(command: CommandFrame): StreamUnit | undefined {
    switch (command.name) {
      case "MULTI":
        this.#open = [];
        return undefined;
      case "EXEC": {
        const whole = this.#open ?? [];
        this.#open = undefined;
        return unitOf(whole, this.#markKey);
      }
      default:
        if (this.#open === undefined) return unitOf([command], this.#markKey);
        this.#open.push(command);
        return undefined;
    }
  }
}

function unitOf(commands: readonly CommandFrame[], markKey: string): StreamUnit | undefined {
  const ofClients = ({ database }: CommandFrame): boolean => database === 0;
  for (const command of commands) {
    const mark = markOf(command, markKey);
    if (mark !== undefined) return { kind: "mark", mark, writes: commands.filter(ofClients) };
  }
  const writes = commands.filter(ofClients).map(({ frame }) => argumentsOf(frame));
  return writes.length === 0 ? undefined : { kind: "writes", commands: writes };
}
