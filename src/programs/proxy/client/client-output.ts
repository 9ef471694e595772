import type { Clock } from "#kit/base/clock";
import type { Counters } from "../limits/counters.ts";
import { LIMITS } from "../limits/limits.ts";
import type { MemoryBudget } from "../limits/memory-budget.ts";
import { BLOCK_BYTES } from "../limits/output-blocks.ts";
import { keepMemory } from "../upstream/lent-memory.ts";
import type { Wire } from "../upstream/wire.ts";
import { OutputLimit } from "./output-limit.ts";
import type { OutputContext } from "./output-limit.ts";
import type { OutputPart } from "./session-parts.ts";

/** The parts of a session that its output uses. */
interface OutputParts {
  readonly endpoint: {
    readonly clock: Clock;
    readonly memory: MemoryBudget;
    readonly counters: Pick<Counters, "noteReply" | "sentBytes">;
  };
  /** The client wants no replies now. */
  readonly replyMode: { readonly silent: boolean };
  readonly life: { readonly ended: boolean };
  readonly pinned: { pause(): void };
}

/** Replies that wait together: in a block, or in the memory that they came in. */
interface Segment {
  readonly memory: Buffer;
  readonly isBlock: boolean;
  length: number;
  /** Bytes of memory that are free when it is gone. */
  readonly keeps: number;
}

/**
 * What one client is sent, in order. Its socket gets little at a time, because TLS keeps a copy of what it is given. The rest waits here, in blocks: a
 * reply would keep all the memory that was read together with it.
 */
export class ClientOutput implements OutputPart {
  readonly #parts: OutputParts;
  readonly #wire: Wire;
  readonly #context: OutputContext;
  readonly #limit: OutputLimit;
  readonly #drained: () => void;
  #waiting: Segment[] = [];
  #waitingBytes = 0;
  /** Given to the socket, in order, and not accepted by the kernel yet. */
  #handed: Segment[] = [];
  #keptBytes = 0;
  #takenBytes = 0;
  /** The owner is told when all is gone. */
  #tells = false;
  /** It is sent on in a later turn of the event loop. */
  #isDeferred = false;
  #state: "open" | "ending" | "ended" | "stopped" = "open";

  /** `drained`: the client has read all, after much has waited. */
  constructor(parts: OutputParts, wire: Wire, cut: (why: string) => void, drained: () => void) {
    this.#parts = parts;
    this.#wire = wire;
    const { clock, memory: budget } = parts.endpoint;
    this.#context = { clock, budget, cut };
    this.#drained = drained;
    this.#limit = new OutputLimit(this, this.#context);
  }

  /** Bytes that wait until the client reads them: the kernel has not accepted them yet. */
  get queuedBytes(): number {
    return this.#waitingBytes + this.#wire.queuedBytes;
  }

  get congested(): boolean {
    return this.queuedBytes > LIMITS.congestedBytes;
  }

  /** Bytes that the kernel has accepted so far. */
  get takenBytes(): number {
    return this.#takenBytes;
  }

  /** The memory that what is queued takes. */
  get heldBytes(): number {
    return this.#keptBytes + (this.#wire.encrypts ? this.#wire.queuedBytes : 0);
  }

  reply(reply: Buffer): void {
    this.#parts.endpoint.counters.noteReply(reply);
    this.deliver(reply);
  }

  deliver(bytes: Buffer): void {
    if (!this.#parts.replyMode.silent) this.push(bytes);
  }

  /** `bytes` must not change until they are gone. */
  push(bytes: Buffer): void {
    const { life, endpoint, pinned } = this.#parts;
    if (life.ended) return;
    endpoint.counters.sentBytes += bytes.length;
    this.#write(bytes);
    if (this.congested) pinned.pause();
  }

  #write(bytes: Buffer): void {
    if (this.#state !== "open") return;
    if (this.#takenAtOnce(bytes)) return;
    const isCopied = this.queuedBytes > 0 || (this.#wire.encrypts && isPart(bytes));
    if (bytes.length > MOST_HANDED) this.#keepParts(bytes);
    else if (isCopied) this.#copy(bytes);
    else this.#hand({ memory: bytes, isBlock: false, length: bytes.length, keeps: bytes.buffer.byteLength });
    this.#feed();
    if (this.queuedBytes > DRAINED_FROM_BYTES) this.#tells = true;
    this.#limit.check();
  }

  /** Sends `last`, and FIN behind it. */
  end(last: Buffer | undefined): void {
    if (last !== undefined) this.#write(last);
    if (this.#state === "open") this.#state = "ending";
    this.#feed();
  }

  /** The connection is gone. */
  stop(): void {
    this.#state = "stopped";
    const { blocks } = this.#context.budget;
    for (const { isBlock, memory } of this.#waiting) if (isBlock) blocks.give(memory);
    // a write may be under way
    for (const { isBlock } of this.#handed) if (isBlock) blocks.lose();
    this.#waiting = [];
    this.#handed = [];
    this.#waitingBytes = this.#keptBytes = 0;
    this.#limit.stop();
  }

  /** The common case at full speed: nothing waits, and the kernel takes all of it. */
  #takenAtOnce(bytes: Buffer): boolean {
    if (this.queuedBytes > 0 || this.#wire.encrypts || bytes.length > MOST_HANDED) return false;
    if (this.#wire.write(bytes, this.#taken) !== "queued") {
      this.#takenBytes += bytes.length;
      return true;
    }
    keepMemory(bytes);
    this.#handed.push({ memory: bytes, isBlock: false, length: bytes.length, keeps: bytes.buffer.byteLength });
    this.#keptBytes += bytes.buffer.byteLength;
    this.#limit.check();
    return true;
  }

  #copy(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      const last = this.#waiting.at(-1);
      const block = last?.isBlock === true && last.length < BLOCK_BYTES ? last : this.#nextBlock();
      const copied = bytes.copy(block.memory, block.length, at);
      block.length += copied;
      at += copied;
    }
    this.#waitingBytes += bytes.length;
  }

  #nextBlock(): Segment {
    const block = { memory: this.#context.budget.blocks.take(), isBlock: true, length: 0, keeps: BLOCK_BYTES };
    this.#wait(block);
    return block;
  }

  /** All the memory is free when the last part is gone. */
  #keepParts(bytes: Buffer): void {
    keepMemory(bytes);
    for (let at = 0; at < bytes.length; at += MOST_HANDED) {
      const memory = bytes.subarray(at, at + MOST_HANDED);
      const isLast = at + MOST_HANDED >= bytes.length;
      this.#wait({ memory, isBlock: false, length: memory.length, keeps: isLast ? bytes.buffer.byteLength : 0 });
    }
    this.#waitingBytes += bytes.length;
  }

  #wait(segment: Segment): void {
    this.#waiting.push(segment);
    this.#keptBytes += segment.keeps;
  }

  #feed(): void {
    if (this.#isDeferred) return;
    for (let next = this.#next; next !== undefined; next = this.#next) {
      if (this.#waitingBytes > BLOCK_BYTES && !this.#context.budget.turns.take(next.length)) {
        this.#isDeferred = true;
        this.#context.budget.turns.later(this.#goOn);
        return;
      }
      this.#waiting.shift();
      this.#waitingBytes -= next.length;
      this.#keptBytes -= next.keeps;
      this.#hand(next);
    }
    if (this.#state !== "ending" || this.#waiting.length > 0) return;
    this.#state = "ended";
    this.#wire.halfClose();
  }

  /** What the socket may have now. A block that is not full waits for more until there is nothing else to send. */
  get #next(): Segment | undefined {
    const { queuedBytes } = this.#wire;
    return queuedBytes === 0 || (queuedBytes < MOST_HANDED && this.#waiting.length > 1) ? this.#waiting[0] : undefined;
  }

  #hand(segment: Segment): void {
    const { memory, length } = segment;
    const sent = this.#wire.write(length === memory.length ? memory : memory.subarray(0, length), this.#taken);
    if (sent === "queued") {
      keepMemory(memory);
      this.#handed.push(segment);
      this.#keptBytes += segment.keeps;
    } else this.#free(segment);
  }

  /** The kernel has accepted the first of what was given to the socket. */
  readonly #taken = (): void => {
    const segment = this.#handed.shift();
    if (segment === undefined) return;
    this.#keptBytes -= segment.keeps;
    this.#free(segment);
    this.#proceed();
  };

  readonly #goOn = (): void => {
    this.#isDeferred = false;
    if (this.#state !== "stopped") this.#proceed();
  };

  #proceed(): void {
    this.#feed();
    this.#limit.check();
    if (!this.#tells || this.queuedBytes > 0 || this.#state === "stopped") return;
    this.#tells = false;
    this.#drained();
  }

  #free({ memory, isBlock, length }: Segment): void {
    this.#takenBytes += length;
    if (isBlock) this.#context.budget.blocks.give(memory);
  }
}

/** It is a small part of the memory that it lies in. */
function isPart(bytes: Buffer): boolean {
  return bytes.length * 4 < bytes.buffer.byteLength;
}

/** The socket of a client is given more only while it has less than this. */
const MOST_HANDED = 64 * 1024;
const DRAINED_FROM_BYTES = 64 * 1024;
