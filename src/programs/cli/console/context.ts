import type { Clock } from "#kit/base/clock";

/** What commands work with. */
export interface CliContext {
  /** How the user calls the program; "storectl" when absent. */
  readonly name?: string;
  /** The terminal that `print` writes to; absent when it goes to a file or another program. */
  readonly terminal?: { readonly columns: () => number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (text: string) => void;
  /** The file that starts the other programs of the product. */
  readonly store: string;
  readonly clock: Clock;
  /** Asks the user at the terminal; absent without a terminal. */
  readonly ask?: (question: string) => Promise<string>;
  /** From now on a signal aborts when the user has had enough, and the command ends in good order. */
  readonly interrupt?: () => AbortSignal;
}

/** What storectl ends with. `found`: it answered, and the answer is not good; `unknown`: part of it could not be looked at. */
export const EXIT = { ok: 0, failed: 1, usage: 2, found: 3, unknown: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command that answers a question says how the answer ends. */
export interface Asking extends CliContext {
  readonly end: (code: ExitCode) => void;
}
