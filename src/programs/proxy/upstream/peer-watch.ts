import { endsOf, unacknowledgedConnections } from "#kit/processes/tcp-table";
import type { UnacknowledgedConnection } from "#kit/processes/tcp-table";
import type { Clock } from "#kit/base/clock";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { startTimer } from "../timing/timer.ts";
import { peersToAsk } from "./peers-to-ask.ts";

/** An engine that has connections of this process. */
export interface Peer {
  readonly address: Address;
  /** There are connections. */
  readonly isConnected: () => boolean;
  /** Requests of clients are at the engine. */
  readonly isAtWork: () => boolean;
  /** Asks the engine; settles with its answer, whatever it is, or with the end of the connection. */
  readonly ping: () => Promise<unknown>;
  /** The engine's machine has vanished: no connection to it will ever say so. */
  readonly vanished: () => void;
}

/** One engine, and since when it owes an answer, in milliseconds of uptime. */
interface Watched {
  readonly peer: Peer;
  askedAt: number | undefined;
}

/**
 * Asks engines each second, and finds out within three whether the machine of one that works has vanished, without a word. Of the idle
 * engines of a machine one is asked for all. An engine that does not answer, for a script, a long command or because it is stopped,
 * lives: its kernel acknowledges what it is sent.
 */
export class PeerWatch {
  readonly #clock: Clock;
  readonly #watched = new Set<Watched>();
  #looks = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Watches an engine until the returned function is called. */
  watch(peer: Peer): () => void {
    const one: Watched = { peer, askedAt: undefined };
    this.#watched.add(one);
    this.#cancel ??= startTimer(this.#clock, EACH_MS, () => void this.#look());
    return () => {
      this.#watched.delete(one);
      if (this.#watched.size > 0) return;
      this.#cancel?.();
      this.#cancel = undefined;
    };
  }

  async #look(): Promise<void> {
    const now = this.#clock.uptimeMs();
    const connected: Watched[] = [];
    for (const one of this.#watched) {
      if (one.peer.isConnected()) connected.push(one);
      else one.askedAt = undefined;
    }
    const silent = connected.filter(({ askedAt }) => askedAt !== undefined && now - askedAt >= SILENT_MS);
    this.#ask(connected, now);
    if (silent.length > 0) await this.#endVanished(silent);
    if (this.#watched.size > 0) this.#cancel = startTimer(this.#clock, EACH_MS, () => void this.#look());
    else this.#cancel = undefined;
  }

  #ask(connected: readonly Watched[], now: number): void {
    const seen = connected.map((one) => {
      const { peer, askedAt } = one;
      return { one, machine: peer.address.host, isSilent: askedAt !== undefined, isAtWork: peer.isAtWork() };
    });
    for (const { one } of peersToAsk(seen, this.#looks++)) {
      one.askedAt = now;
      const answered = (): void => {
        if (one.askedAt === now) one.askedAt = undefined;
      };
      one.peer.ping().then(answered, answered);
    }
  }

  async #endVanished(silent: readonly Watched[]): Promise<void> {
    const askedAt = new Map(silent.map((one) => [one, one.askedAt]));
    for await (const connections of unacknowledgedConnections())
      for (const [one, at] of askedAt) {
        if (one.askedAt !== at || !hasVanished(one.peer.address, connections)) continue;
        one.askedAt = undefined;
        if (this.#watched.has(one)) one.peer.vanished();
      }
  }
}

/** True when something that was sent there has been repeated, and nothing has acknowledged it. */
export function hasVanished({ host, port }: Address, connections: readonly UnacknowledgedConnection[]): boolean {
  return connections.some((one) => one.asked >= MOST_ASKED && endsOf(one).remote === `${host}:${port}`);
}

const EACH_MS = 1_000;
/** Two looks; timers are not exact. */
const SILENT_MS = 1_900;
/** Of a connection within a site: after 0.2 and 0.4 s more, and a third time before the second is over. */
const MOST_ASKED = 2;
