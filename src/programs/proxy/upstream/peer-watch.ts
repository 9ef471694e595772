import { endsOf, unacknowledgedConnections } from "../../../mechanisms/processes/tcp-table.ts";
import type { UnacknowledgedConnection } from "../../../mechanisms/processes/tcp-table.ts";
import type { Clock } from "../../../core/base/clock.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { startTimer } from "../timing/timer.ts";

/** What the watch needs of the upstream that it belongs to. */
export interface PeerWatchOwner {
  readonly clock: Clock;
  readonly address: Address;
  /** There are connections. */
  readonly isConnected: () => boolean;
  /** Asks the engine; settles with its answer, whatever it is, or with the end of the connection. */
  readonly ping: () => Promise<unknown>;
  /** The engine's machine has vanished: no connection to it will ever say so. */
  readonly vanished: () => void;
}

/**
 * Asks an engine each second, and finds out within three whether its machine has vanished, without a word. An engine that does not
 * answer, for a script, a long command or because it is stopped, lives: its kernel acknowledges what it is sent.
 */
export class PeerWatch {
  readonly #owner: PeerWatchOwner;
  #askedAt: number | undefined;
  #cancel: () => void = () => undefined;
  #stopped = false;

  constructor(owner: PeerWatchOwner) {
    this.#owner = owner;
    this.#wait();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #wait(): void {
    if (!this.#stopped) this.#cancel = startTimer(this.#owner.clock, EACH_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { address, clock, isConnected, vanished } = this.#owner;
    if (!isConnected()) this.#askedAt = undefined;
    else if (this.#askedAt === undefined) this.#ask();
    else {
      const askedAt = this.#askedAt;
      const silentMs = clock.uptimeMs() - askedAt;
      const isGone = silentMs >= SILENT_MS && (await someVanished(address));
      if (isGone && this.#askedAt === askedAt) {
        this.#askedAt = undefined;
        vanished();
      }
    }
    this.#wait();
  }

  #ask(): void {
    const askedAt = this.#owner.clock.uptimeMs();
    this.#askedAt = askedAt;
    const answered = (): void => {
      if (this.#askedAt === askedAt) this.#askedAt = undefined;
    };
    this.#owner.ping().then(answered, answered);
  }
}

async function someVanished(address: Address): Promise<boolean> {
  for await (const connections of unacknowledgedConnections()) if (hasVanished(address, connections)) return true;
  return false;
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
