import type { Socket } from "node:net";
import { Fault } from "../../../core/base/fault.ts";
import { FrameScanner, INCOMPLETE } from "../../../ports/resp/scan.ts";
import { ARENA_BYTES } from "./arena.ts";
import type { Arena, ArenaPool } from "./arena.ts";
import { outstandingOf, requestOf } from "./request-batch.ts";
import type { Flight } from "./request-batch.ts";
import { isRefusal } from "../protocol/refusals.ts";
import { Gate } from "./lease-gate.ts";
import type { Lease } from "../timing/lease.ts";
import { Wire } from "./wire.ts";
import type { LostRequest, Requester } from "./requester.ts";

/** What a lane tells the upstream that it belongs to. */
export interface LaneEvents {
  closed(lane: Lane): void;
  /** Nothing is in flight any more. */
  idle(lane: Lane): void;
  /** The engine takes requests again, after `clogged`. */
  drained(): void;
}

/**
 * One connection to an engine that many clients share. Requests are copied together and sent once in a turn of the event
 * loop; replies come in the same order and are handed out in slices. Each request must be one that is answered exactly once.
 */
export class Lane {
  inFlight = 0;
  closed = false;
  readonly #wire: Wire;
  readonly #gate: Gate;
  readonly #events: LaneEvents;
  readonly #arenas: ArenaPool;
  readonly #scanner = new FrameScanner({ maxFrameBytes: MAX_REPLY_BYTES });
  readonly #flights: Flight[] = [];
  #head = 0;
  #arena: Arena;
  #scheduled = false;
  /** Beginning of a reply that is wanted whole. */
  #withheld: Buffer[] = [];

  constructor(socket: Socket, arenas: ArenaPool, lease: Lease, events: LaneEvents) {
    this.#arenas = arenas;
    this.#arena = arenas.take();
    this.#events = events;
    this.#wire = new Wire(socket, {
      data: (bytes) => {
        this.#gate.take(bytes);
      },
      end: () => {
        this.#wire.destroy();
      },
      closed: () => {
        this.#close();
      },
      drained: () => {
        events.drained();
      },
    });
    this.#gate = new Gate(lease, this.#wire, (bytes) => {
      this.#receive(bytes);
    });
  }

  /** True while the engine does not take what is sent: put nothing on the lane until `drained`. */
  get clogged(): boolean {
    return this.#wire.queued > CLOGGED_BYTES;
  }

  /** Puts `count` whole requests on the lane, which lie in `bytes` from `start` to `end`. They are copied, or kept when large. */
  push(owner: Requester, count: number, bytes: Buffer, start: number, end: number): void {
    this.inFlight += count;
    owner.inFlight += count;
    const length = end - start;
    if (length > ARENA_BYTES) {
      this.#pushLarge(owner, bytes, start, end, count);
      return;
    }
    if (this.#arena.used + length > ARENA_BYTES) this.#turnArena();
    const arena = this.#arena;
    const tail = this.#tail;
    if (tail?.owner === owner && tail.arena === arena) {
      tail.count += count;
      tail.end += length;
    } else {
      arena.flights++;
      const at = arena.used;
      this.#flights.push({ owner, arena, bytes: arena.bytes, start: at, end: at + length, count, answered: 0 });
    }
    bytes.copy(arena.bytes, arena.used, start, end);
    arena.used += length;
    if (arena.used - arena.sent >= FLUSH_BYTES) this.flush();
    else if (!this.#scheduled) this.#schedule();
  }

  /** Sends what waits for the end of the turn. */
  flush(): void {
    const arena = this.#arena;
    if (arena.used === arena.sent || this.closed) return;
    if (this.#wire.write(arena.bytes.subarray(arena.sent, arena.used))) arena.sent = arena.used;
  }

  destroy(): void {
    this.#wire.destroy();
  }

  get #tail(): Flight | undefined {
    return this.#flights.length > this.#head ? this.#flights.at(-1) : undefined;
  }

  #schedule(): void {
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.flush();
    });
  }

  #pushLarge(owner: Requester, bytes: Buffer, start: number, end: number, count: number): void {
    this.flush();
    const own = bytes.subarray(start, end);
    const flight: Flight = { owner, arena: undefined, bytes: own, start: 0, end: own.length, count, answered: 0 };
    this.#flights.push(flight);
    this.#wire.write(own);
  }

  #turnArena(): void {
    this.flush();
    this.#retireArena(this.#arena);
    this.#arena = this.#arenas.take();
  }

  #retireArena(arena: Arena): void {
    if (arena.flights === 0) this.#arenas.give(arena);
  }

  #receive(bytes: Buffer): void {
    try {
      this.#handOut(bytes);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#wire.destroy();
    }
  }

  #handOut(bytes: Buffer): void {
    let start = 0;
    let at = 0;
    while (at < bytes.length) {
      const past = this.#scanner.next(bytes, at, bytes.length);
      const flight = this.#flights[this.#head];
      if (flight === undefined) {
        // an out-of-band message that nobody asked for
        if (past === INCOMPLETE) return;
        start = at = past;
        continue;
      }
      const whole = this.#scanner.kind === MINUS || flight.owner.picky;
      if (whole && start < at) flight.owner.deliver(bytes.subarray(start, at));
      if (past === INCOMPLETE) {
        if (whole) this.#withheld.push(bytes.subarray(at));
        else flight.owner.deliver(bytes.subarray(start));
        return;
      }
      if (whole) {
        this.#answer(flight, bytes.subarray(at, past));
        start = past;
      }
      at = past;
      if (this.#count(flight)) {
        if (start < at) flight.owner.deliver(bytes.subarray(start, at));
        start = at;
        this.#next(flight);
      }
    }
    // the bytes end with a reply, and more replies of the same flight are to come
    if (start < at) this.#flights[this.#head]?.owner.deliver(bytes.subarray(start, at));
  }

  #answer(flight: Flight, tail: Buffer): void {
    const reply = this.#withheld.length === 0 ? tail : Buffer.concat([...this.#withheld, tail]);
    this.#withheld = [];
    if (flight.owner.picky || isRefusal(reply)) flight.owner.answered(requestOf(flight, flight.answered), reply);
    else flight.owner.deliver(reply);
  }

  /** Counts one reply; true when it was the flight's last one. */
  #count(flight: Flight): boolean {
    this.inFlight--;
    flight.owner.inFlight--;
    return ++flight.answered === flight.count;
  }

  #next(flight: Flight): void {
    this.#head++;
    if (this.#head > COMPACT_AT && this.#head * 2 > this.#flights.length) {
      this.#flights.splice(0, this.#head);
      this.#head = 0;
    }
    this.#release(flight.arena);
    if (flight.owner.inFlight === 0) flight.owner.settled();
    if (this.inFlight === 0) this.#events.idle(this);
  }

  #release(arena: Arena | undefined): void {
    if (arena === undefined || --arena.flights > 0) return;
    if (arena !== this.#arena) this.#arenas.give(arena);
    else if (arena.sent === arena.used) arena.sent = arena.used = 0;
  }

  #close(): void {
    this.closed = true;
    this.#gate.drop();
    const torn = this.#scanner.inside && this.#withheld.length === 0;
    const flights = this.#flights.splice(this.#head);
    this.#head = 0;
    this.#flights.length = 0;
    const unsentFrom = this.#arena.sent;
    const lost = new Map<Requester, LostRequest[]>();
    for (const flight of flights) {
      const sent = flight.arena !== this.#arena || flight.start < unsentFrom;
      const requests = outstandingOf(flight).map((request) => ({ request, sent }));
      const earlier = lost.get(flight.owner);
      if (earlier === undefined) lost.set(flight.owner, requests);
      else for (const request of requests) earlier.push(request);
    }
    this.inFlight = 0;
    this.#events.closed(this);
    for (const [owner, requests] of lost) {
      owner.inFlight = 0;
      owner.lost(requests, torn && owner === flights[0]?.owner);
    }
  }
}

const MINUS = 45;
/** As much as an engine can answer at all. */
const MAX_REPLY_BYTES = 2 ** 40;
const FLUSH_BYTES = 16 * 1024;
const CLOGGED_BYTES = 4 * 2 ** 20;
const COMPACT_AT = 1024;
