import { LIMITS } from "../limits/limits.ts";
import type { CommandClass, CommandEntry } from "../protocol/table/entry.ts";
import { errorReply, refusalOf, replies } from "../protocol/replies.ts";

/** A transaction as its client sees it: from the MULTI to the EXEC that it has sent, answered or not. */
export class OpenTransaction {
  #bytes = 0;
  #failed = false;

  /** The reply to EXEC when the proxy refuses the transaction; undefined when the engine decides. */
  get refusal(): Buffer | undefined {
    return this.#failed ? replies.transactionAborted : undefined;
  }

  /** Makes EXEC fail. */
  fail(): void {
    this.#failed = true;
  }

  /** Why this request cannot be queued; undefined when the engine is to queue it. */
  objection(request: Buffer, command: CommandEntry | undefined): Buffer | undefined {
    if (command !== undefined && !QUEUEABLE.has(command.commandClass))
      return command.commandClass === "refused" ? refusalOf(command) : notInside(command);
    if (this.#bytes + request.length > LIMITS.transactionBytes) return replies.tooLargeTransaction;
    this.#bytes += request.length;
    return undefined;
  }
}

const QUEUEABLE: ReadonlySet<CommandClass> = new Set([
  ...(["read", "write", "long", "script", "scripts", "kill"] as const),
  ...(["transaction", "blocking", "wait", "scan"] as const),
]);

function notInside({ name }: CommandEntry): Buffer {
  return errorReply(`ERR store: ${name.replace("|", " ")} is not available inside MULTI`);
}
