import type { CommandFrame } from "../../../ports/resp/command-frame.ts";
import { markOf } from "../saved/marks.ts";
import type { KeptKeys } from "../saved/slice.ts";

/** Waits for the end of the transaction with a mark. Engines since version 7 pass on a transaction of one write as that write alone. */
export class Passage {
  readonly #mark: string;
  readonly #key: string;
  #isMarked = false;
  /** Between MULTI and EXEC. */
  #isOpen = false;
  isOver = false;

  constructor(mark: string, { mark: key }: Pick<KeptKeys, "mark">) {
    [this.#mark, this.#key] = [mark, key];
  }

  /** The commands that come behind it. */
  behind<Command extends CommandFrame>(commands: readonly Command[]): readonly Command[] {
    const end = commands.findIndex((command) => this.#passes(command));
    return end < 0 ? [] : commands.slice(end + 1);
  }

  /** True of the command that ends it. */
  #passes(command: CommandFrame): boolean {
    if (command.name === "MULTI" || command.name === "EXEC") this.#isOpen = command.name === "MULTI";
    this.#isMarked ||= markOf(command, this.#key) === this.#mark;
    this.isOver = this.#isMarked && !this.#isOpen;
    return this.isOver;
  }
}
