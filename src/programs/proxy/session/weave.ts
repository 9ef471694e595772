import { REPLY_ENDS } from "../upstream/reply-ends.ts";
import { FoundRequests, MOST_AT_ONCE } from "./found-requests.ts";
import type { KeptBytes } from "./kept-replies.ts";
import type { LeftRequest } from "./left-request.ts";
import { Strands } from "./strands.ts";
import { beginRun, endRun, isAnswered, Run, type RunReplies, type RunWay } from "./run.ts";

/** Takes bytes that go to the client. */
export type PassBytes = (bytes: Buffer, start: number, end: number) => void;

/**
 * Requests of one client for several shards. Those of a shard are one strand: they are sent to it together, as a run. The replies of all strands are
 * passed on in the order of the requests.
 */
export class Weave {
  readonly found = new FoundRequests();
  readonly strands = new Strands();
  /** Of each request: the bytes of its reply that are kept; 0 as long as it is not here whole. */
  readonly #sizes = new Uint32Array(MOST_AT_ONCE);
  /** How many requests have their whole reply at the client. */
  #passed = 0;
  /** Of each strand: the request whose reply comes next, and how many bytes of that are kept. */
  readonly #awaited: number[] = [];
  readonly #parts: number[] = [];
  /** Of each strand: where the part of its first piece begins that is not at the client; 0 when all of it is not. */
  readonly #starts: number[] = [];
  readonly #runs: Run[] = [];
  #isReleased = false;

  /** Sorts the requests that were found; false when they are of too many shards. */
  arrange(): boolean {
    this.#isReleased = false;
    this.#passed = 0;
    this.#sizes.fill(0, 0, this.found.count);
    return this.strands.arrange(this.found);
  }

  /** The run of a strand, whose requests go this way. */
  runOf(strand: number, way: RunWay, replies: RunReplies): Run {
    this.#awaited[strand] = this.strands.heads[strand] ?? 0;
    this.#parts[strand] = this.#starts[strand] = 0;
    const known = this.#runs[strand];
    if (known === undefined) return (this.#runs[strand] = new Run(way, replies, { weave: this, strand }));
    beginRun(known, way, replies);
    return known;
  }

  /** Each of its requests has its reply. */
  get isAnswered(): boolean {
    for (let strand = 0; strand < this.strands.count; strand++) {
      const run = this.#runs[strand];
      if (run !== undefined && !isAnswered(run)) return false;
    }
    return true;
  }

  /** Bytes of a strand are kept, in which so many replies end. */
  note(strand: number, start: number, end: number, replies: number): void {
    let from = start - (this.#parts[strand] ?? 0);
    let request = this.#awaited[strand] ?? 0;
    for (let at = 0; at < replies; at++) {
      const past = REPLY_ENDS[at] ?? 0;
      this.#sizes[request] = past - from;
      from = past;
      request = this.strands.nexts[request] ?? 0;
    }
    this.#awaited[strand] = request;
    this.#parts[strand] = end - from;
  }

  /** Passes on what is kept, as far as it is the turn of that: also of a reply whose end is missing. `free` gets the pieces that are gone. */
  pass(to: PassBytes, free: (piece: KeptBytes) => void): void {
    while (this.#passed < this.found.count) {
      const strand = this.strands.of[this.#passed] ?? 0;
      const bytes = this.#takeTurn(strand);
      this.#passStrand(strand, bytes > 0 ? bytes : (this.#parts[strand] ?? 0), to, free);
      if (bytes > 0) continue;
      this.#parts[strand] = 0;
      return;
    }
  }

  /**
   * Gives away what is not at the client, in the order of the requests: replies, for which `wholeOf` gives those of a run, and requests that were
   * `refused`. Nothing may be on a lane, and `pass` was called since.
   */
  takeLeft(wholeOf: (run: Run) => Buffer, refused: (run: Run) => readonly Buffer[]): readonly LeftRequest[] {
    const runs = this.#runs.slice(0, this.strands.count);
    const replies = runs.map((run, strand) => {
      const gone = Math.max((this.#starts[strand] ?? 0) - (run.state.first?.start ?? 0), 0);
      return wholeOf(run).subarray(gone);
    });
    const requests = runs.map((run) => [...refused(run)]);
    const left: LeftRequest[] = [];
    for (let at = this.#passed; at < this.found.count; at++) {
      const [strand = 0, size = 0] = [this.strands.of[at], this.#sizes[at]];
      const kept = replies[strand];
      const request = size === 0 ? requests[strand]?.shift() : undefined;
      if (request !== undefined) left.push({ request });
      else if (kept !== undefined) {
        left.push({ reply: kept.subarray(0, size) });
        replies[strand] = kept.subarray(size);
      }
    }
    return left;
  }

  /** All of it is at the client: it is used again. */
  release(): void {
    if (this.#isReleased) throw new Error("requests are released twice");
    this.#isReleased = true;
    for (const run of this.#runs) endRun(run);
    if (FREE.length < MOST_FREE) FREE.push(this);
  }

  /** Takes the whole replies of this strand whose turn it is, until it is that of another one: how large they are together. */
  #takeTurn(strand: number): number {
    let bytes = 0;
    while (this.#passed < this.found.count && this.strands.of[this.#passed] === strand) {
      const size = this.#sizes[this.#passed] ?? 0;
      if (size === 0) break;
      bytes += size;
      this.#passed++;
    }
    return bytes;
  }

  #passStrand(strand: number, bytes: number, to: PassBytes, free: (piece: KeptBytes) => void): void {
    const state = this.#runs[strand]?.state;
    for (let left = bytes; left > 0;) {
      const piece = state?.first;
      if (state === undefined || piece === undefined) throw new Error("a reply is missing");
      const start = Math.max(piece.start, this.#starts[strand] ?? 0);
      const end = Math.min(start + left, piece.end);
      to(piece.bytes, start, end);
      left -= end - start;
      this.#starts[strand] = end === piece.end ? 0 : end;
      if (end < piece.end) return;
      state.first = piece.next;
      if (piece.next === undefined) state.last = undefined;
      free(piece);
    }
  }
}

/** One that is not in use. */
export function takeWeave(): Weave {
  return FREE.pop() ?? new Weave();
}

/** Of all clients of the process, which take turns with them. */
const FREE: Weave[] = [];
const MOST_FREE = 256;
