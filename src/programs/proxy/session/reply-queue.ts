import { AccountedBytes } from "../limits/accounted-bytes.ts";
import type { Counters } from "../limits/counters.ts";
import { LIMITS } from "../limits/limits.ts";
import { OVER_BUDGET, type MemoryBudget } from "../limits/memory-budget.ts";
import { LentMemory } from "../upstream/lent-memory.ts";
import { KeptReplies, type KeptBytes } from "./kept-replies.ts";
import { leftOfParts, type LeftRequest } from "./left-request.ts";
import { SOON } from "./soon.ts";
import { Run, type RunReplies, type RunWay } from "./run.ts";

/** What a queue of replies needs of the session. */
export interface QueueParts {
  readonly endpoint: { readonly memory: MemoryBudget; readonly counters: Pick<Counters, "noteReply"> };
  readonly output: { deliver(bytes: Buffer): void };
  readonly life: { cut(why: string): void };
}

/** A request whose parts go to several shards, and what becomes of their replies. */
interface Split {
  readonly runs: readonly Run[];
  readonly merge: (replies: readonly Buffer[]) => Buffer;
  /** The request, when each shard gets one that is not about keys; it can be repeated. */
  readonly whole: Buffer | undefined;
}

/** What the proxy answers itself. */
interface OwnReply {
  readonly reply: Buffer;
}

/**
 * The replies of several shards to one client, in the order of its requests: those of the first run go out as they come, those of later runs
 * are kept until it is their turn. What is kept is the client's: it counts as memory of the client, and no more requests are taken from it.
 */
export class ReplyQueue implements RunReplies {
  inFlight = 0;
  readonly #parts: QueueParts;
  readonly #kept = new KeptReplies();
  readonly #account: AccountedBytes;
  readonly #entries: (Run | Split | OwnReply)[] = [];
  /** The way of the last entry, when that is a run. */
  #lastWay: RunWay | undefined;
  /** The first and the last of the replies whose turn it is, to be sent together. */
  #first: KeptBytes | undefined;
  #last: KeptBytes | undefined;
  #readyBytes = 0;
  /** Answers of the proxy that wait. */
  #own = 0;
  /** What a reply takes, as it seems. */
  #expectedBytes = FIRST_EXPECTED_BYTES;
  /** A request could not be sent, because too much was on its way. */
  #isAwaited = false;
  #isDropped = false;

  constructor(parts: QueueParts) {
    this.#parts = parts;
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
    const run = new Run(way, this, false);
    this.#lastWay = way;
    this.#entries.push(run);
    return run;
  }

  /**
   * The runs of a request whose parts go to these shards, in their order. `merge` makes its reply of the whole replies to the parts; `whole`: the
   * request, when its parts are not about keys.
   */
  split(ways: readonly RunWay[], { merge, whole }: Omit<Split, "runs">): readonly Run[] {
    const runs = ways.map((way) => new Run(way, this, true));
    this.#lastWay = undefined;
    this.#entries.push({ runs, merge, whole });
    return runs;
  }

  /** Gives what the proxy answers itself its place, behind requests that are not answered. */
  answer(reply: Buffer): void {
    this.#lastWay = undefined;
    this.#own++;
    this.#entries.push({ reply });
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
        return;
      }
      if (first instanceof Run) {
        this.#passKept(first);
        if (!isAnswered(first)) return;
      } else if ("reply" in first) {
        this.#own--;
        this.#passWhole(first.reply);
      } else if (first.runs.every(isAnswered)) this.#passMerged(first);
      else return;
      this.#entries.shift();
    }
  }

  deliver(run: Run, bytes: Buffer, start: number, end: number): void {
    if (this.#isDropped) return;
    const { state } = run;
    state.repliedBytes += end - start;
    if (state.isPart || this.#entries[0] !== run) {
      state.last = this.#kept.keep(state.last, bytes, start, end);
      state.first ??= state.last;
      this.#account.set(this.#kept.heldBytes);
    } else if (this.#entries.length === 1 && this.#first === undefined)
      this.#parts.output.deliver(bytes.subarray(start, end));
    else if (end - start > SENT_BYTES) {
      this.#sendReady();
      this.#parts.output.deliver(bytes.subarray(start, end));
    } else this.#pass(bytes, start, end);
  }

  reply(run: Run, reply: Buffer): void {
    if (!run.state.isPart) this.#parts.endpoint.counters.noteReply(reply);
    this.deliver(run, reply, 0, reply.length);
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
      if ("reply" in entry) return [{ reply: entry.reply }];
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
    this.#first = this.#last = undefined;
    this.#account.set(0);
  }

  /** Sends what is ready: a write for each run would cost more than all else. */
  readonly #send = (): void => {
    if (!this.#isDropped) this.#sendReady();
  };

  #sendReady(): void {
    if (this.#first === undefined) return;
    let used = 0;
    for (let piece: KeptBytes | undefined = this.#first; piece !== undefined; piece = piece.next) {
      const { bytes, start, end } = piece;
      if (end - start > SENT_BYTES) {
        this.#sendStaged(used);
        used = 0;
        this.#parts.output.deliver(bytes);
      } else {
        used += bytes.copy(STAGE.bytes, used, start, end);
        if (used > SENT_BYTES) {
          this.#sendStaged(used);
          used = 0;
        }
      }
      this.#kept.free(piece);
    }
    this.#sendStaged(used);
    // the client may have been cut for what it has not read
    if (this.#isDropped) return;
    this.#first = this.#last = undefined;
    this.#readyBytes = 0;
    if (this.#entries.length === 0) this.#kept.empty();
    this.#account.set(this.#kept.heldBytes);
  }

  #sendStaged(used: number): void {
    if (used === 0) return;
    this.#parts.output.deliver(STAGE.bytes.subarray(0, used));
    STAGE.moveOn();
  }

  #pass(bytes: Buffer, start: number, end: number): void {
    if (this.#first === undefined) SOON.add(this.#send);
    this.#last = this.#kept.keep(this.#last, bytes, start, end);
    this.#first ??= this.#last;
    this.#note(end - start);
  }

  #passKept({ state }: Run): void {
    const { first, last } = state;
    if (first === undefined) return;
    state.first = state.last = undefined;
    if (this.#last === undefined) {
      SOON.add(this.#send);
      this.#first = first;
    } else this.#last.next = first;
    this.#last = last;
    this.#note(state.repliedBytes);
  }

  #passMerged({ runs, merge }: Split): void {
    const reply = merge(runs.map((run) => this.#takeWhole(run)));
    this.#passWhole(reply);
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

  #passWhole(reply: Buffer): void {
    this.#parts.endpoint.counters.noteReply(reply);
    this.#pass(reply, 0, reply.length);
  }

  #note(more: number): void {
    this.#readyBytes += more;
    if (this.#readyBytes > SENT_BYTES) this.#sendReady();
    else this.#account.set(this.#kept.heldBytes);
  }
}

/** Each of its requests has its reply, or is to have none. */
function isAnswered({ inFlight, deferred }: Run): boolean {
  return inFlight === 0 && deferred === 0;
}

/** Replies that go out are copied together here. */
class Stage {
  readonly #lent = new LentMemory();
  bytes = this.#lent.bytes;

  /** What was sent may have been kept as it is. */
  moveOn(): void {
    this.bytes = this.#lent.other ?? this.bytes;
  }
}

const STAGE = new Stage();
/** As much goes out at once. */
const SENT_BYTES = 16 * 1024;
/** Before a client has had a reply: so it may send 32 requests behind those of another shard. */
const FIRST_EXPECTED_BYTES = 256 * 1024;
/** How much the next run counts in what is expected. */
const LEARNT = 1 / 8;
