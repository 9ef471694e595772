import type { Socket } from "node:net";
import { Fault } from "#kit/base/fault";
import { FrameScanner, INCOMPLETE } from "../../../ports/resp/frame-scanner.ts";
import { AccountedBytes } from "../limits/accounted-bytes.ts";
import { LIMITS } from "../limits/limits.ts";
import { OVER_BUDGET } from "../limits/memory-budget.ts";
import { ARENA_BYTES, lostOf, requestOf } from "./arena.ts";
import type { Arena, ArenaPool, RequestBatch } from "./arena.ts";
import type { OutstandingRequest } from "../../../ports/management/proxy-control.ts";
import { commandName } from "../protocol/arguments.ts";
import { isBusyReply, isRefusal } from "../protocol/refusals.ts";
import { BatchQueue } from "./batch-queue.ts";
import { CarriedReply } from "./carried-reply.ts";
import { ReplyGate } from "./reply-gate.ts";
import type { ReplyPermits } from "./reply-gate.ts";
import { keepLent } from "./lent-memory.ts";
import { REPLY_ENDS } from "./reply-ends.ts";
import { giveBlock } from "./request-blocks.ts";
import { Turns } from "./turns.ts";
import { Wire } from "./wire.ts";
import type { Requester } from "./requester.ts";

/** What happens to a lane, for the pool that it belongs to. */
export interface LaneEvents {
  closed(lane: Lane): void;
  /** Nothing is in flight any more. */
  idle(lane: Lane): void;
  /** The lane takes requests again, after it was congested. */
  drained(): void;
}

/**
 * One connection to an engine that many clients share. Requests are copied together and sent once in a turn of the event
 * loop; replies come in the same order and are delivered in slices. Each request must be one that has exactly one reply.
 */
export class Lane {
  inFlight = 0;
  closed = false;
  readonly #wire: Wire;
  readonly #gate: ReplyGate;
  readonly #events: LaneEvents;
  readonly #arenas: ArenaPool;
  readonly #scanner = new FrameScanner({ maxFrameBytes: MAX_REPLY_BYTES });
  readonly #batches = new BatchQueue();
  /** When the last replies arrived, by `performance.now`. */
  #answeredAt = 0;
  #arena: Arena;
  readonly #turns = new Turns(() => {
    this.flush();
  });
  /** The reply that is being read is delivered whole. That is decided at its beginning: its client may leave before its end. */
  #isWhole = false;
  /** The beginning of the reply that is being read. */
  readonly #withheld: CarriedReply;
  /** The memory of requests without a reply, but for that of the arena in use. */
  readonly #unanswered: AccountedBytes;
  /** The owners of requests wait until less is unanswered. */
  #isFull = false;
  /** The owners of requests wait until the engine has taken what was sent. */
  #isAwaited = false;

  constructor(socket: Socket, arenas: ArenaPool, permits: ReplyPermits, events: LaneEvents) {
    this.#arenas = arenas;
    this.#arena = arenas.take();
    this.#events = events;
    this.#withheld = new CarriedReply(permits.memory, () => {
      this.#giveUpReply();
    });
    this.#unanswered = new AccountedBytes(permits.memory, () => undefined); // it has a bound, and many clients share it
    this.#wire = new Wire(socket, "own", {
      data: (bytes, length) => {
        this.#gate.take(bytes.subarray(0, length));
      },
      end: () => {
        this.#wire.destroy();
      },
      closed: () => {
        this.#close();
      },
      drained: () => {
        if (!this.#isAwaited) return;
        this.#isAwaited = false;
        events.drained();
      },
    });
    this.#gate = new ReplyGate(permits, this.#wire, {
      atBoundary: () => !this.#scanner.inside,
      isMonitor: () => false,
      runsForeignCode: () => false, // only requests of which the table knows that they do not
      receive: (bytes) => void this.#receive(bytes),
      overflows: () => undefined, // it holds little, and many clients share it
    });
  }

  /** True while the engine does not take what is sent, or too much of it has no reply: push nothing until `drained`. */
  get congested(): boolean {
    this.#isFull ||= this.#unanswered.heldBytes > LIMITS.inFlightBytes;
    const isQueued = this.#wire.queuedBytes > CONGESTED_BYTES;
    this.#isAwaited ||= isQueued;
    return this.#isFull || isQueued;
  }

  /** Puts `count` whole requests on the lane, which lie in `bytes` from `start` to `end`. They are copied, or kept when large. */
  push(owner: Requester, count: number, bytes: Buffer, start: number, end: number): void {
    this.#turns.begin(this.inFlight === 0);
    this.inFlight += count;
    owner.inFlight += count;
    const length = end - start;
    if (length > ARENA_BYTES) {
      this.#pushLarge(owner, bytes, start, end, count);
      return;
    }
    if (this.#arena.used + length > ARENA_BYTES) this.#turnArena();
    const arena = this.#arena;
    const tail = this.#batches.last;
    if (tail?.owner === owner && tail.arena === arena) {
      tail.count += count;
      tail.end += length;
    } else {
      arena.batches++;
      this.#turns.count();
      const at = arena.used;
      const { beganAt: since } = this.#turns;
      this.#batches.push({ owner, since, arena, bytes: arena.bytes, start: at, end: at + length, count, answered: 0 });
    }
    bytes.copy(arena.bytes, arena.used, start, end);
    arena.used += length;
    if (!this.#turns.waiting || arena.used - arena.sent >= FLUSH_BYTES) this.flush();
  }

  /** The request that all others on the lane wait for; its age counts from the last reply. */
  get oldest(): OutstandingRequest | undefined {
    const batch = this.#batches.first;
    if (batch === undefined) return undefined;
    const command = commandName(requestOf(batch, batch.answered));
    return { client: batch.owner.client, command, ageMs: performance.now() - Math.max(batch.since, this.#answeredAt) };
  }

  /** Sends what waits for the end of the turn. */
  flush(): void {
    const arena = this.#arena;
    if (arena.used === arena.sent || this.closed) return;
    if (this.#wire.write(arena.bytes.subarray(arena.sent, arena.used)) !== "ended") arena.sent = arena.used;
  }

  destroy(): void {
    this.#wire.destroy();
  }

  #pushLarge(owner: Requester, bytes: Buffer, start: number, end: number, count: number): void {
    this.flush();
    const own = bytes.subarray(start, end);
    const place = { arena: undefined, bytes: own, start: 0, end: own.length };
    this.#batches.push({ owner, since: this.#turns.beganAt, ...place, count, answered: 0 });
    this.#unanswered.set(this.#unanswered.heldBytes + own.length);
    this.#wire.write(own);
  }

  #turnArena(): void {
    this.flush();
    this.#retireArena(this.#arena);
    this.#arena = this.#arenas.take();
  }

  #retireArena(arena: Arena): void {
    if (arena.batches === 0) this.#arenas.give(arena);
    else this.#unanswered.set(this.#unanswered.heldBytes + ARENA_BYTES);
  }

  #receive(bytes: Buffer): void {
    this.#answeredAt = performance.now();
    try {
      this.#distribute(bytes);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#wire.destroy();
    }
  }

  #distribute(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && at !== INCOMPLETE;) {
      const batch = this.#batches.first;
      // an out-of-band message answers no request
      at = batch === undefined ? this.#scanner.next(bytes, at, bytes.length) : this.#take(batch, bytes, at);
    }
  }

  /** Takes replies to this batch that begin at `start`, as far as they are passed on together: the position behind them, or INCOMPLETE. */
  #take(batch: RequestBatch, bytes: Buffer, start: number): number {
    const wantsWhole = batch.owner.wantsWholeReplies;
    const most = Math.min(batch.count - batch.answered, REPLY_ENDS.length);
    let at = start;
    let whole = 0;
    while (whole < most && at < bytes.length) {
      if (!this.#scanner.inside) this.#isWhole = wantsWhole || bytes[at] === MINUS;
      if (this.#isWhole) break;
      const past = this.#scanner.next(bytes, at, bytes.length);
      if (past === INCOMPLETE) {
        this.#deliver(batch, bytes, start, bytes.length, whole);
        return INCOMPLETE;
      }
      at = REPLY_ENDS[whole++] = past;
    }
    if (at === start) return this.#takeWhole(batch, bytes, at);
    this.#deliver(batch, bytes, start, at, whole);
    return at;
  }

  /** Passes on replies, of which so many are whole. */
  #deliver(batch: RequestBatch, bytes: Buffer, start: number, end: number, whole: number): void {
    this.#count(batch, whole);
    batch.owner.deliver(bytes, start, end, whole);
    if (batch.answered === batch.count) this.#next(batch);
  }

  /** Takes a reply that is passed on whole: the position behind it, or INCOMPLETE. */
  #takeWhole(batch: RequestBatch, bytes: Buffer, at: number): number {
    const past = this.#scanner.next(bytes, at, bytes.length);
    if (past === INCOMPLETE) {
      this.#withheld.push(keepLent(bytes.subarray(at)));
      return INCOMPLETE;
    }
    const reply = this.#withheld.join(bytes.subarray(at, past));
    if (batch.owner.wantsWholeReplies || isRefusal(reply) || isBusyReply(reply))
      batch.owner.answered(requestOf(batch, batch.answered), reply);
    else batch.owner.reply(reply);
    this.#count(batch, 1);
    if (batch.answered === batch.count) this.#next(batch);
    return past;
  }

  #count(batch: RequestBatch, replies: number): void {
    this.inFlight -= replies;
    batch.owner.inFlight -= replies;
    batch.answered += replies;
  }

  #next(batch: RequestBatch): void {
    this.#batches.dropFirst();
    this.#release(batch);
    batch.owner.finished(batch.count, (this.#answeredAt - batch.since) / 1000);
    if (batch.owner.inFlight === 0) batch.owner.settled();
    if (this.inFlight === 0) this.#events.idle(this);
  }

  #release({ arena, bytes }: RequestBatch): void {
    if (arena === undefined) this.#releaseLarge(bytes);
    else if (--arena.batches > 0) return;
    else if (arena !== this.#arena) {
      this.#arenas.give(arena);
      this.#free(ARENA_BYTES);
    } else if (arena.sent === arena.used) arena.sent = arena.used = 0;
  }

  #releaseLarge(bytes: Buffer): void {
    this.#free(bytes.length);
    // when an engine answers too early, these bytes may still be on their way to it
    if (this.#wire.queuedBytes === 0) giveBlock(bytes);
  }

  #free(bytes: number): void {
    this.#unanswered.set(this.#unanswered.heldBytes - bytes);
    if (!this.#isFull || this.#unanswered.heldBytes > LIMITS.inFlightBytes / 2) return;
    this.#isFull = false;
    this.#events.drained();
  }

  /** The rest of the reply is for a client that is gone. */
  #giveUpReply(): void {
    this.#withheld.drop();
    this.#isWhole = false;
    this.#batches.first?.owner.cut(`its reply must be collected, and ${OVER_BUDGET}`);
  }

  #close(): void {
    this.closed = true;
    this.#gate.drop();
    const partlyDelivered = this.#scanner.inside && this.#withheld.heldBytes === 0;
    this.#withheld.drop();
    this.#unanswered.set(0);
    const batches = this.#batches.takeAll();
    const lost = lostOf(batches, ({ arena, start }) => arena !== this.#arena || start < this.#arena.sent);
    this.inFlight = 0;
    this.#events.closed(this);
    for (const [owner, requests] of lost) {
      owner.inFlight = 0;
      owner.lost(requests, partlyDelivered && owner === batches[0]?.owner);
    }
  }
}

const MINUS = 45;
/** More than any reply of an engine. */
const MAX_REPLY_BYTES = 2 ** 40;
const FLUSH_BYTES = 16 * 1024;
const CONGESTED_BYTES = 4 * 2 ** 20;
