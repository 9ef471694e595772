import { AccountedBytes } from "../limits/accounted-bytes.ts";
import type { Counters } from "../limits/counters.ts";
import { LIMITS } from "../limits/limits.ts";
import { OVER_BUDGET, type MemoryBudget } from "../limits/memory-budget.ts";
import { Run, type RunReplies } from "./run.ts";
import type { SharedRoute } from "./shared-route.ts";

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
}

/**
 * The replies of several shards to one client, in the order of its requests: those of the first run go out as they come, those of later runs
 * are kept until it is their turn. What is kept is the client's: it counts as memory of the client, and no more requests are taken from it.
 */
export class ReplyQueue {
  /** Requests that are on lanes. */
  inFlight = 0;
  readonly #parts: QueueParts;
  readonly #kept: AccountedBytes;
  readonly #entries: (Run | Split)[] = [];
  /** The way of the last entry, when that is a run. */
  #lastWay: SharedRoute | undefined;
  /** Replies whose turn it is, to be sent together: copies. */
  #ready: Buffer[] = [];
  #readyBytes = 0;
  #isDropped = false;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#kept = new AccountedBytes(parts.endpoint.memory, () => {
      parts.life.cut(`its replies wait for those of another shard, and ${OVER_BUDGET}`);
    });
  }

  /** All requests are answered. */
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Too much waits for the reply of a slow shard. */
  get isFull(): boolean {
    return this.#kept.heldBytes > LIMITS.congestedBytes;
  }

  /** The run that the next request belongs to: the last one, when it is of the same shard. */
  runOf(way: SharedRoute): Run {
    const last = this.#entries.at(-1);
    if (last instanceof Run && this.#lastWay === way) return last;
    const run = new Run(way, this.#ofRun);
    this.#lastWay = way;
    this.#entries.push(run);
    return run;
  }

  /** The runs of a request whose parts go to these shards, in their order. `merge` makes its reply of the whole replies to the parts. */
  split(ways: readonly SharedRoute[], merge: Split["merge"]): readonly Run[] {
    const runs = ways.map((way) => new Run(way, this.#ofPart));
    this.#entries.push({ runs, merge });
    return runs;
  }

  /** Passes on what is kept, as far as all before it is answered. */
  advance(): void {
    for (let first = this.#entries[0]; first !== undefined; first = this.#entries[0]) {
      const isDone = first instanceof Run ? isAnswered(first) : first.runs.every(isAnswered);
      if (first instanceof Run) this.#passKept(first);
      else if (isDone) this.#passMerged(first);
      if (!isDone || this.#isDropped) return;
      this.#entries.shift();
    }
    this.#send();
  }

  /** The client is gone. */
  drop(): void {
    this.#isDropped = true;
    this.#entries.length = 0;
    this.#ready = [];
    this.#readyBytes = 0;
    this.#kept.set(0);
  }

  /** It is the turn of a reply, of which `bytes` are a copy or memory that is lent. */
  #pass(bytes: Buffer, isCopy: boolean): void {
    const isAlone = this.#entries.length === 1 && this.#ready.length === 0;
    if (isAlone || bytes.length > SENT_BYTES) {
      this.#send();
      this.#parts.output.deliver(bytes);
      return;
    }
    if (this.#ready.length === 0) AT_END_OF_TURN.add(this.#send);
    this.#ready.push(isCopy ? bytes : Buffer.from(bytes));
    this.#readyBytes += bytes.length;
    if (this.#readyBytes > SENT_BYTES) this.#send();
  }

  /** Sends what is ready: a write for each run would cost more than all else. */
  readonly #send = (): void => {
    if (this.#ready.length === 0) return;
    const [first = NONE, ...others] = this.#ready;
    const bytes = others.length === 0 ? first : Buffer.concat(this.#ready, this.#readyBytes);
    this.#ready = [];
    this.#readyBytes = 0;
    this.#parts.output.deliver(bytes);
  };

  #passKept(run: Run): void {
    const { kept = [] } = run;
    run.kept = undefined;
    for (const bytes of kept) {
      this.#note(-bytes.length);
      this.#pass(bytes, true);
    }
  }

  #passMerged({ runs, merge }: Split): void {
    const replies = runs.map(({ kept }) => Buffer.concat(kept ?? []));
    this.#note(-replies.reduce((sum, { length }) => sum + length, 0));
    const reply = merge(replies);
    this.#parts.endpoint.counters.noteReply(reply);
    this.#pass(reply, true);
  }

  #keep(run: Run, bytes: Buffer): void {
    if (this.#isDropped) return;
    (run.kept ??= []).push(Buffer.from(bytes));
    this.#note(bytes.length);
  }

  #note(more: number): void {
    if (!this.#isDropped) this.#kept.set(this.#kept.heldBytes + more);
  }

  readonly #count = (more: number): void => {
    this.inFlight += more;
  };

  readonly #deliver = (run: Run, bytes: Buffer): void => {
    if (this.#entries[0] === run) this.#pass(bytes, false);
    else this.#keep(run, bytes);
  };

  readonly #ofRun: RunReplies = {
    count: this.#count,
    deliver: this.#deliver,
    reply: (run, reply) => {
      this.#parts.endpoint.counters.noteReply(reply);
      this.#deliver(run, reply);
    },
  };

  readonly #ofPart: RunReplies = {
    count: this.#count,
    deliver: (run, bytes) => {
      this.#keep(run, bytes);
    },
    reply: (run, reply) => {
      this.#keep(run, reply);
    },
  };
}

/** Each of its requests has its reply, or is to have none. */
function isAnswered({ inFlight, deferred }: Run): boolean {
  return inFlight === 0 && deferred === 0;
}

/** What is to be done once when all that has arrived in this turn of the event loop has been looked at. */
class EndOfTurn {
  readonly #work: (() => void)[] = [];

  add(work: () => void): void {
    if (this.#work.push(work) === 1) setImmediate(this.#end);
  }

  readonly #end = (): void => {
    for (const work of this.#work.splice(0)) work();
  };
}

const AT_END_OF_TURN = new EndOfTurn();
const NONE = Buffer.alloc(0);
/** As much goes out at once. */
const SENT_BYTES = 16 * 1024;
