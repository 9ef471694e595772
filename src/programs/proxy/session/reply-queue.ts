import { AccountedBytes } from "../limits/accounted-bytes.ts";
import type { Counters } from "../limits/counters.ts";
import { LIMITS } from "../limits/limits.ts";
import { OVER_BUDGET, type MemoryBudget } from "../limits/memory-budget.ts";
import { KeptReplies } from "./kept-replies.ts";
import { leftOfParts, type LeftRequest } from "./left-request.ts";
import { isAnswered, Run, type RunReplies, type RunWay } from "./run.ts";
import { ReadyReplies } from "./ready-replies.ts";
import { REPLY_ENDS } from "../upstream/reply-ends.ts";
import { SENT_BYTES } from "./stage.ts";
import { Weave } from "./weave.ts";

/** What a queue of replies needs of the session. */
export interface QueueParts {
  readonly endpoint: { readonly memory: MemoryBudget; readonly counters: Pick<Counters, "noteReply"> };
  readonly output: { deliver(bytes: Buffer): void };
  readonly life: { cut(why: string): void };
}

/** A request whose parts go to several shards, and what becomes of their replies; without a part, what the proxy answers itself. */
interface Split {
  readonly runs: readonly Run[];
  readonly merge: (replies: readonly Buffer[]) => Buffer;
  /** The request, when each shard gets one that is not about keys; it can be repeated. */
  readonly whole: Buffer | undefined;
}

/**
 * The replies of several shards to one client, in the order of its requests: those of the first run go out as they come, those of later runs
 * are kept until it is their turn. What is kept is the client's: it counts as memory of the client, and no more requests are taken from it.
 */
export class ReplyQueue implements RunReplies {
  inFlight = 0;
  readonly #parts: QueueParts;
  readonly #kept = new KeptReplies();
  readonly #ready: ReadyReplies;
  readonly #account: AccountedBytes;
  readonly #entries: (Run | Weave | Split)[] = [];
  /** The way of the last entry, when that is a run. */
  #lastWay: RunWay | undefined;
  /** Answers of the proxy that wait. */
  #own = 0;
  /** What a reply takes, as it seems. */
  #expectedBytes = FIRST_EXPECTED_BYTES;
  /** A request could not be sent, because too much was on its way. */
  #isAwaited = false;
  #isDropped = false;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#ready = new ReadyReplies({
      kept: this.#kept,
      next: () => {
        const [head] = this.#entries;
        return head instanceof Weave ? head : undefined;
      },
      isEmpty: () => this.isEmpty,
      deliver: (bytes) => void parts.output.deliver(bytes),
    });
    this.#account = new AccountedBytes(parts.endpoint.memory, () => {
      parts.life.cut(`its replies wait for those of another shard, and ${OVER_BUDGET}`);
    });
  }

  /** All requests are answered. */
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /**
   * How many requests may be sent now. What is expected of those behind the first run has to be kept when that takes long; replies to the
   * first run are sent on, so that it always goes on.
   */
  get room(): number {
    const [head] = this.#entries;
    const behind = this.inFlight - (head instanceof Run ? head.inFlight : 0);
    const expected = Math.max(Math.floor(LIMITS.expectedBytes / this.#expectedBytes), 1) - behind;
    const isFull = this.#kept.heldBytes > LIMITS.congestedBytes;
    const room = isFull ? 0 : Math.max(Math.min(expected, LIMITS.inFlight - this.inFlight - this.#own), 0);
    this.#isAwaited ||= room === 0;
    return room;
  }

  /** The run that the next request belongs to: the last one, when it is of the same shard. */
  runOf(way: RunWay): Run {
    const last = this.#lastWay === way ? this.#entries.at(-1) : undefined;
    if (last instanceof Run) return last;
    const run = new Run(way, this, "alone");
    this.#lastWay = way;
    this.#entries.push(run);
    return run;
  }

  /**
   * The runs of a request whose parts go to these shards, in their order. `merge` makes its reply of the whole replies to the parts; `whole`: the
   * request, when its parts are not about keys. Without a part, `merge` makes what the proxy answers itself.
   */
  split(ways: readonly RunWay[], { merge, whole }: Omit<Split, "runs">): readonly Run[] {
    const runs = ways.map((way) => new Run(way, this, "part"));
    this.#lastWay = undefined;
    this.#entries.push({ runs, merge, whole });
    if (runs.length === 0) this.#own++;
    return runs;
  }

  /** Gives requests that go to their shards together their place; false when their replies seem too large to be kept until their turn. */
  weave(weave: Weave): boolean {
    const { count } = weave.found;
    if (count > this.room || this.#expectedBytes * count > WOVEN_BYTES) return false;
    this.#lastWay = undefined;
    this.#entries.push(weave);
    return true;
  }

  /** Passes on what is kept, as far as all before it is answered; true when a request could not be sent before, and perhaps can now. */
  advance(): boolean {
    const isAwaited = this.#isAwaited;
    this.#isAwaited = false;
    this.#passOn();
    return isAwaited;
  }

  #passOn(): void {
    while (!this.#isDropped) {
      const [first] = this.#entries;
      if (first === undefined) {
        this.#lastWay = undefined;
        this.#sendReady();
        if (!this.#isDropped) this.#kept.empty();
        this.#noteKept();
        return;
      }
      if (first instanceof Run) {
        this.#passKept(first);
        if (!isAnswered(first)) return;
      } else if (first instanceof Weave) {
        if (!first.isAnswered) {
          this.#ready.sendSoon();
          return;
        }
        this.#sendReady();
        first.release();
      } else if (first.runs.every(isAnswered)) this.#passMerged(first);
      else return;
      this.#entries.shift();
    }
  }

  deliver(run: Run, bytes: Buffer, start: number, end: number, whole: number): void {
    if (this.#isDropped) return;
    const { state } = run;
    const { kind } = state;
    state.repliedBytes += end - start;
    if (kind !== "alone" || this.#entries[0] !== run) {
      if (typeof kind === "object") kind.weave.note(kind.strand, start, end, whole);
      state.last = this.#kept.keep(state.last, bytes, start, end);
      state.first ??= state.last;
      this.#account.set(this.#kept.heldBytes);
      // a large reply is not kept until all have arrived
      if (typeof kind === "object" && state.repliedBytes > SENT_BYTES) this.#sendReady();
    } else if (this.#entries.length === 1 && this.#ready.isEmpty)
      this.#parts.output.deliver(bytes.subarray(start, end));
    else if (end - start > SENT_BYTES) {
      this.#sendReady();
      this.#parts.output.deliver(bytes.subarray(start, end));
    } else this.#pass(bytes, start, end);
  }

  reply(run: Run, reply: Buffer): void {
    if (run.state.kind !== "part") this.#parts.endpoint.counters.noteReply(reply);
    REPLY_ENDS[0] = reply.length;
    this.deliver(run, reply, 0, reply.length, 1);
  }

  settled({ state: { requests, repliedBytes } }: Run): void {
    const bytes = repliedBytes / requests;
    // it falls slowly: large replies come back
    this.#expectedBytes = Math.max(bytes, this.#expectedBytes + (bytes - this.#expectedBytes) * LEARNT, 1);
  }

  /** Gives away all that waits, in its order: replies that are here, and requests that were `refused`; nothing may be on a lane. */
  takeLeft(refused: (run: Run) => readonly Buffer[]): readonly LeftRequest[] {
    this.#sendReady();
    const left = this.#entries.splice(0).flatMap((entry): readonly LeftRequest[] => {
      if (entry instanceof Run) {
        const requests = refused(entry).map((request) => ({ request }));
        return entry.state.first === undefined ? requests : [{ reply: this.#takeWhole(entry) }, ...requests];
      }
      if (entry instanceof Weave) return entry.takeLeft((run) => this.#takeWhole(run), refused);
      const parts = entry.runs.map((run) => {
        const [request] = refused(run);
        return request === undefined ? this.#takeWhole(run) : { request };
      });
      return [leftOfParts(parts, entry)];
    });
    this.#lastWay = undefined;
    this.#own = 0;
    this.#account.set(this.#kept.heldBytes);
    return left;
  }

  /** The client is gone. */
  drop(): void {
    this.#isDropped = true;
    this.#entries.length = 0;
    this.#ready.drop();
    this.#account.set(0);
  }

  /** Sends what is ready. */
  #sendReady(): void {
    this.#ready.send();
    this.#noteKept();
  }

  /** Counts what is kept, unless the client is gone: it may have been cut for what it has not read. */
  #noteKept(): void {
    if (!this.#isDropped) this.#account.set(this.#kept.heldBytes);
  }

  #pass(bytes: Buffer, start: number, end: number): void {
    this.#ready.add(bytes, start, end);
    this.#noteKept();
  }

  #passKept({ state }: Run): void {
    const { first, last } = state;
    if (first === undefined) return;
    state.first = state.last = undefined;
    this.#ready.addKept(first, last, state.repliedBytes);
    this.#noteKept();
  }

  #passMerged({ runs, merge }: Split): void {
    const reply = merge(runs.map((run) => this.#takeWhole(run)));
    if (runs.length === 0) this.#own--;
    this.#parts.endpoint.counters.noteReply(reply);
    this.#pass(reply, 0, reply.length);
  }

  /** The replies to a part, which are not kept any more. */
  #takeWhole({ state }: Run): Buffer {
    const pieces: Buffer[] = [];
    for (let piece = state.first; piece !== undefined; piece = piece.next) {
      pieces.push(Buffer.from(piece.bytes.subarray(piece.start, piece.end)));
      this.#kept.free(piece);
    }
    state.first = state.last = undefined;
    return Buffer.concat(pieces);
  }
}

/** Before a client has had a reply: so it may send 32 requests behind those of another shard. */
const FIRST_EXPECTED_BYTES = 256 * 1024;
/** The replies of requests that are woven seem to take no more. */
const WOVEN_BYTES = 64 * 1024;
/** How much the next run counts in what is expected. */
const LEARNT = 1 / 8;
