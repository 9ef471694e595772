import { encodeCommand } from "../../../ports/resp/encode.ts";
import { LIMITS } from "../limits/limits.ts";
import type { CommandClass, CommandEntry } from "../protocol/table/entry.ts";
import { errorReply, unavailableReply, replies, wrongNumber } from "../protocol/replies.ts";
import { isRead, lastClassified } from "../protocol/commands.ts";
import { slotsIn } from "../protocol/crossing.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { hasArity } from "../protocol/table/has-arity.ts";

/** A request of a transaction that the proxy answers, or whose reply it looks at. */
export interface SpecialRequest {
  readonly request: Buffer;
  /** True: the proxy answers, and the engine executes a stand-in. False: the proxy looks at the engine's reply. */
  readonly isOwn: boolean;
}

/** A transaction as its client sees it: from the MULTI to the EXEC that it has sent, answered or not. */
export class OpenTransaction {
  /** By their places in the transaction. */
  readonly special = new Map<number, SpecialRequest>();
  /** The places of scans. */
  readonly scans: number[] = [];
  #count = 0;
  #bytes = 0;
  #specialBytes = 0;
  #failed = false;
  #onlyReads = true;
  /** The slot of its first key. */
  #slot: number | undefined;
  #crossesSlots = false;

  /** The reply to EXEC when the proxy refuses the transaction; undefined when the engine decides. */
  get refusal(): Buffer | undefined {
    return this.#failed ? replies.transactionAborted : undefined;
  }

  /** What the engine is to execute changes nothing. */
  get onlyReads(): boolean {
    return this.#onlyReads;
  }

  /** Its keys lie in several slots. */
  get crossesSlots(): boolean {
    return this.#crossesSlots;
  }

  /** Makes EXEC fail. */
  fail(): void {
    this.#failed = true;
  }

  /** Why this request cannot be queued; undefined when the engine is to queue it. */
  objection(request: Buffer, command: CommandEntry | undefined): Buffer | undefined {
    if (command !== undefined && !hasArity(command.name, requestArguments(request).length))
      return wrongNumber(command.name);
    if (command !== undefined && !isQueueable(command))
      return command.commandClass === "refused" ? unavailableReply(command) : notInside(command);
    if (this.#bytes + request.length > LIMITS.transactionBytes) return replies.tooLargeTransaction;
    if (command !== undefined && isSpecial(command)) {
      if (this.#specialBytes + request.length > LIMITS.specialBytes) return TOO_MANY_SPECIAL;
      this.#specialBytes += request.length;
    }
    this.#bytes += request.length;
    return undefined;
  }

  /** What the engine is sent for a request that may be queued. */
  queue(request: Buffer, command: CommandEntry | undefined): Buffer {
    const queued = this.#forEngine(request, command);
    this.#onlyReads &&= isRead(queued);
    if (!this.#crossesSlots) this.#noteSlots(command?.name, queued);
    return queued;
  }

  #noteSlots(name = "", request: Buffer): void {
    // what is simply forwarded has no entry
    for (const slot of slotsIn(name === "" ? lastClassified() : name, request)) {
      this.#slot ??= slot;
      this.#crossesSlots ||= slot !== this.#slot;
    }
  }

  #forEngine(request: Buffer, command: CommandEntry | undefined): Buffer {
    if (command !== undefined && REFUSED_INSIDE.has(command.name)) return request;
    const at = this.#count++;
    if (command?.commandClass === "scan") this.scans.push(at);
    if (command === undefined || !isSpecial(command)) return request;
    const isOwn = isAnsweredHere(command);
    // a copy: what came with it is not kept
    this.special.set(at, { request: Buffer.from(request), isOwn });
    return isOwn ? STAND_IN : request;
  }
}

/** True for what the proxy answers inside a transaction, and for what it refuses there. */
export function isAnsweredByProxy(command: CommandEntry): boolean {
  return isAnsweredHere(command) || !isQueueable(command);
}

function isQueueable(command: CommandEntry): boolean {
  return QUEUEABLE.has(command.commandClass) || isSpecial(command);
}

function isSpecial(command: CommandEntry): boolean {
  return SEEN.has(command.name) || isAnsweredHere(command);
}

/** Known only when EXEC is answered, and then in the place that the request has. */
function isAnsweredHere({ name, commandClass }: CommandEntry): boolean {
  return ANSWERED_HERE.has(commandClass) && !NEVER_QUEUED.has(name);
}

const ANSWERED_HERE: ReadonlySet<CommandClass> = new Set(["client", "whoami", "view", "parameters"]);
/** Their replies concern the proxy: what the connection has become, and numbers of connections that the client does not know. */
const SEEN: ReadonlySet<string> = new Set(["SELECT", "CLIENT|GETREDIR", "CLIENT|TRACKINGINFO"]);
/** They are about the replies of the transaction itself, and about the connection that it needs. */
const NEVER_QUEUED: ReadonlySet<string> = new Set(["CLIENT|REPLY", "CLIENT|MAINT_NOTIFICATIONS"]);
/** Engines refuse these at once inside MULTI, and execute the rest all the same. */
const REFUSED_INSIDE: ReadonlySet<string> = new Set(["MULTI", "WATCH"]);
/** Changes nothing, and every user may send it. */
const STAND_IN = encodeCommand(["PING"]);

const QUEUEABLE: ReadonlySet<CommandClass> = new Set([
  "read",
  "write",
  "long",
  "script",
  "scripts",
  "kill",
  "transaction",
  "blocking",
  "wait",
  "scan",
]);

const TOO_MANY_SPECIAL = errorReply(
  `ERR store: a transaction takes at most ${LIMITS.specialBytes} bytes of CLIENT, CONFIG GET, CONFIG SET, ACL WHOAMI and SELECT`,
);

function notInside({ name }: CommandEntry): Buffer {
  return errorReply(`ERR store: ${name.replace("|", " ")} is not available inside MULTI`);
}
