import type { CommandEntry } from "../protocol/table/entry.ts";
import { execAborted, replies } from "../protocol/replies.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { PinnedCommands } from "./pinned-commands.ts";
import type { PinnedParts } from "./pinned-parts.ts";
import { onlyRoute } from "../upstream/only-route.ts";

/** Answers for a pinned session while there is no primary, as an engine does that is loading. */
export class WithoutPrimary {
  readonly #parts: PinnedParts;
  readonly #commands: PinnedCommands;

  constructor(parts: PinnedParts, commands: PinnedCommands) {
    this.#parts = parts;
    this.#commands = commands;
  }

  /** Answers one request; false when it cannot be answered now. EXEC and DISCARD end their transaction. */
  refuse(request: Buffer, command: CommandEntry | undefined): boolean {
    const end = this.#commands.inTransaction ? this.#endOf(command) : undefined;
    if (end === undefined) this.#commands.failTransaction();
    this.#commands.dropPreparation();
    if (request.length === 0 || !this.#parts.turns.answer(end ?? this.#refusal)) return false;
    if (end !== undefined) this.#commands.endTransaction();
    return true;
  }

  /** There was no primary for too long: these were not executed. */
  expire(refused: readonly PendingRequest[]): void {
    const has = (...kinds: readonly PendingRequest["kind"][]): boolean =>
      refused.some(({ kind }) => kinds.includes(kind));
    for (const { kind, substitute, own } of refused)
      if (kind === "internal") own?.settled(undefined);
      else this.#parts.output.reply(substitute ?? (kind === "exec" ? execAborted(this.#refusal) : this.#refusal));
    if (has("exec", "discard") && !this.#commands.inTransaction) this.#commands.endTransaction();
    if (has("multi", "queued")) this.#commands.failTransaction();
    this.#parts.turns.settled();
  }

  get #refusal(): Buffer {
    return onlyRoute(this.#parts.endpoint).refusal;
  }

  #endOf(command: CommandEntry | undefined): Buffer | undefined {
    if (command?.name === "EXEC") return execAborted(this.#refusal);
    return command?.name === "DISCARD" ? replies.ok : undefined;
  }
}
