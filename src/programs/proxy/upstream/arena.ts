import type { LostRequest, Requester } from "./requester.ts";
import { RequestScanner } from "../protocol/request-scanner.ts";

/** Bytes of one arena; a request that does not fit is sent from memory of its own. */
export const ARENA_BYTES = 64 * 1024;

/**
 * Memory into which requests are copied before they are sent, and in which they stay until they are answered: a request
 * that was not executed must be sent again.
 */
export interface Arena {
  readonly bytes: Buffer;
  /** Filled up to here. */
  used: number;
  /** Sent up to here. */
  sent: number;
  /** Flights that lie in it and are not answered. */
  batches: number;
}

/** Arenas that are free again, for all lanes of a process. */
export class ArenaPool {
  readonly #free: Arena[] = [];

  take(): Arena {
    return this.#free.pop() ?? { bytes: Buffer.allocUnsafeSlow(ARENA_BYTES), used: 0, sent: 0, batches: 0 };
  }

  give(arena: Arena): void {
    arena.used = 0;
    arena.sent = 0;
    if (this.#free.length < MOST_FREE) this.#free.push(arena);
  }
}

/** Requests of one client that were put on a lane together. */
export interface RequestBatch {
  readonly owner: Requester;
  /** When the first of them was put there, by `performance.now`. */
  readonly since: number;
  /** Where the requests stand: in an arena, or one large request in memory of its own. */
  readonly arena: Arena | undefined;
  readonly bytes: Buffer;
  readonly start: number;
  end: number;
  /** How many there are, and how many of them have been answered. */
  count: number;
  answered: number;
}

/** A copy of the request at `index`. */
export function requestOf(batch: RequestBatch, index: number): Buffer {
  if (batch.arena === undefined) return Buffer.from(batch.bytes);
  const scanner = new RequestScanner();
  let start = batch.start;
  let end = scanner.next(batch.bytes, start, batch.end);
  for (let i = 0; i < index; i++) {
    start = end;
    end = scanner.next(batch.bytes, start, batch.end);
  }
  return Buffer.from(batch.bytes.subarray(start, end));
}

/** What was not answered when the connection ended, for each owner, in order. */
export function lostOf(
  batches: readonly RequestBatch[],
  isSent: (batch: RequestBatch) => boolean,
): ReadonlyMap<Requester, readonly LostRequest[]> {
  const lost = new Map<Requester, LostRequest[]>();
  for (const batch of batches) {
    const sent = isSent(batch);
    const requests = outstandingOf(batch).map((request) => ({ request, sent }));
    const earlier = lost.get(batch.owner);
    if (earlier === undefined) lost.set(batch.owner, requests);
    else for (const request of requests) earlier.push(request);
  }
  return lost;
}

/** Copies of the requests that are not answered, in order; linear in their number. */
function outstandingOf(batch: RequestBatch): Buffer[] {
  if (batch.arena === undefined) return [Buffer.from(batch.bytes)];
  const scanner = new RequestScanner();
  const requests: Buffer[] = [];
  let start = batch.start;
  for (let i = 0; i < batch.count; i++) {
    const end = scanner.next(batch.bytes, start, batch.end);
    if (i >= batch.answered) requests.push(Buffer.from(batch.bytes.subarray(start, end)));
    start = end;
  }
  return requests;
}

const MOST_FREE = 64;
