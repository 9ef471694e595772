import { endsOf, type UnacknowledgedConnection } from "#kit/processes/tcp-table";

/** The ends of a client's connection, as `address:port`. */
export interface ConnectionEnds {
  readonly address: string;
  readonly localAddress: string;
}

/** When a connection was first seen so, by uptime, and how often its other end had been asked. */
interface Suspicion {
  readonly since: number;
  readonly asked: number;
}

/** Finds clients that have vanished while something waited to be sent to them, by looking at all connections again and again. */
export class VanishedClients {
  /** By the ends of the connection: at the last look, and so far at this one. */
  #before = new Map<string, Suspicion>();
  #suspected = new Map<string, Suspicion>();
  /** The local ends of those that have vanished, by the other end. */
  #gone = new Map<string, string[]>();

  /** Some have been asked for long, if not for long enough. */
  get suspectsSome(): boolean {
    return this.#before.size > 0;
  }

  /** Takes a part of what the kernel says at this look, `now` in milliseconds of uptime. */
  see(now: number, connections: readonly UnacknowledgedConnection[]): void {
    for (const connection of connections) {
      const { ends, asked } = connection;
      if (asked < SUSPECT) continue;
      const before = this.#before.get(ends);
      // one that was asked less often has acknowledged something in between
      const since = before !== undefined && before.asked <= asked ? before.since : now;
      this.#suspected.set(ends, { since, asked });
      if (now - since >= GONE_MS) this.#note(connection);
    }
  }

  /** The look is over: what finds those that have acknowledged nothing for too long, if any. */
  judge(): ((client: ConnectionEnds) => boolean) | undefined {
    const gone = this.#gone;
    this.#before = this.#suspected;
    this.#suspected = new Map();
    this.#gone = new Map();
    return gone.size === 0 ? undefined : (client) => gone.get(client.address)?.includes(client.localAddress) === true;
  }

  #note(connection: UnacknowledgedConnection): void {
    const { local, remote } = endsOf(connection);
    this.#gone.set(remote, [...(this.#gone.get(remote) ?? []), local]);
  }
}

/** A kernel asks so often within 1.5 s, and one that is far away within ten. */
const SUSPECT = 3;
/** With the time between two looks and until it is suspected, less than a minute. */
const GONE_MS = 30_000;
