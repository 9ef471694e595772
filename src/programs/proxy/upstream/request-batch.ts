import type { Arena } from "./arena.ts";
import type { Requester } from "./requester.ts";
import { RequestScanner } from "../protocol/request-scanner.ts";

/** Requests of one client that were put on a lane together. */
export interface Flight {
  readonly owner: Requester;
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
export function requestOf(flight: Flight, index: number): Buffer {
  if (flight.arena === undefined) return flight.bytes;
  const scanner = new RequestScanner();
  let start = flight.start;
  let end = scanner.next(flight.bytes, start, flight.end);
  for (let i = 0; i < index; i++) {
    start = end;
    end = scanner.next(flight.bytes, start, flight.end);
  }
  return Buffer.from(flight.bytes.subarray(start, end));
}

/** Copies of the requests that are not answered, in order; quick also for many. */
export function outstandingOf(flight: Flight): Buffer[] {
  if (flight.arena === undefined) return [flight.bytes];
  const scanner = new RequestScanner();
  const requests: Buffer[] = [];
  let start = flight.start;
  for (let i = 0; i < flight.count; i++) {
    const end = scanner.next(flight.bytes, start, flight.end);
    if (i >= flight.answered) requests.push(Buffer.from(flight.bytes.subarray(start, end)));
    start = end;
  }
  return requests;
}
