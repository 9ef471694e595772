import { WORKER_BYTES } from "../../../core/planner/node/capacity.ts";
import { shareOfWorker, type WorkerNumber } from "./proxy-worker.ts";

/** An endpoint, by the connections that it holds: of its clients, and those that they have to engines for themselves. */
export interface ConnectionHolder {
  readonly connections: number;
  /** What they take while they are idle. */
  readonly connectionBytes: number;
}

/** What a process has for connections. */
export interface ConnectionRoom {
  /** Files that it may open; Infinity without a limit. */
  readonly files: number;
  readonly bytes: number;
}

/** Files of the process itself. */
const OF_PROCESS = 512;
/** Files of an endpoint without clients: it listens, shares connections to its engines, and tells a few clients why they are refused. */
const OF_ENDPOINT = 48;

const MIB = 1_048_576;
/** What a node takes besides connections: its agent, a proxy without clients, what waits for clients, and what comes and goes. */
const BESIDES = 484 * MIB;
const LEAST = 64 * MIB;

/** What a connection takes while it is idle, in bytes. */
export const IDLE_BYTES = { plain: 12 * 1_024, tls: 64 * 1_024 } as const;

/** What is left for the connections of one worker in the container of agent and proxy, by its limit in bytes. */
export function connectionRoom(limit: number, worker: WorkerNumber): number {
  return shareOfWorker(Math.max(LEAST, limit - BESIDES - (worker.of - 1) * WORKER_BYTES), worker);
}

/**
 * The files that a process may open and the memory for its connections, divided among its endpoints: none can take what another
 * one is kept, and all together do not end the process.
 */
export class ConnectionBudget {
  readonly #room: ConnectionRoom;
  readonly #holders = new Set<ConnectionHolder>();

  constructor(room: ConnectionRoom) {
    this.#room = room;
  }

  join(holder: ConnectionHolder): void {
    this.#holders.add(holder);
  }

  leave(holder: ConnectionHolder): void {
    this.#holders.delete(holder);
  }

  mayOpen(holder: ConnectionHolder): boolean {
    const endpoints = this.#holders.size;
    const files = this.#room.files - OF_PROCESS - OF_ENDPOINT * endpoints;
    return (
      this.#allows(files, holder, (one) => one.connections) &&
      this.#allows(this.#room.bytes, holder, (one) => one.connectionBytes)
    );
  }

  #allows(room: number, holder: ConnectionHolder, takenBy: (holder: ConnectionHolder) => number): boolean {
    const own = takenBy(holder);
    if (own < shareOf(room, this.#holders.size)) return true;
    const others = [...this.#holders].filter((one) => one !== holder);
    return mayTake(room, own, others.map(takenBy));
  }
}

/**
 * Whether an endpoint that takes `own` of the room may take more. Half of all is kept for the endpoints in equal shares, and one
 * such share for an endpoint that comes; the rest is for the one that asks first.
 */
export function mayTake(room: number, own: number, others: readonly number[]): boolean {
  const share = shareOf(room, others.length + 1);
  if (own < share) return true;
  const kept = others.reduce((sum, one) => sum + Math.max(one, share), share);
  return own + kept < room;
}

function shareOf(room: number, endpoints: number): number {
  return Math.floor(room / 2 / (endpoints + 1));
}
