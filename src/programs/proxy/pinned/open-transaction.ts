import type { Special, Treatment } from "../protocol/commands.ts";
import { LIMITS } from "../limits/limits.ts";
import { errorReply, replies } from "../protocol/replies.ts";

/** A transaction as its client sees it: between the MULTI and the EXEC that it has sent, whatever has been answered. */
export class OpenTransaction {
  #bytes = 0;
  #spoiled = false;

  /** What EXEC is answered although the engine knows no reason to refuse it; undefined when the engine decides. */
  get refusal(): Buffer | undefined {
    return this.#spoiled ? replies.transactionAborted : undefined;
  }

  /** EXEC must fail. */
  spoil(): void {
    this.#spoiled = true;
  }

  /** Why this request cannot be queued; undefined when the engine is to queue it. */
  objection(request: Buffer, special: Special | undefined): Buffer | undefined {
    if (special !== undefined && !QUEUEABLE.has(special.treatment))
      return errorReply(`ERR store: ${special.name} is not available inside MULTI`);
    if (this.#bytes + request.length > LIMITS.transactionBytes) return replies.tooLargeTransaction;
    this.#bytes += request.length;
    return undefined;
  }
}

const QUEUEABLE: ReadonlySet<Treatment> = new Set(["transaction", "blocking", "wait", "scan", "script"]);
