import type { UnacknowledgedConnection } from "../../../mechanisms/processes/tcp-table.ts";

/** The ends of a client's connection, as `address:port`. */
export interface ConnectionEnds {
  readonly address: string;
  readonly localAddress: string;
}

/** Finds clients that have vanished while something waited to be sent to them. */
export class VanishedClients {
  /** By connection: the uptime at which it was first seen so, and how often it had been asked. */
  #suspected = new Map<string, { readonly since: number; readonly asked: number }>();

  /** Takes what the kernel says now, in milliseconds of uptime: what finds those that have acknowledged nothing for too long, if any. */
  judge(
    now: number,
    connections: readonly UnacknowledgedConnection[],
  ): ((client: ConnectionEnds) => boolean) | undefined {
    const suspected = new Map<string, { readonly since: number; readonly asked: number }>();
    for (const { local, remote, asked } of connections) {
      if (asked < SUSPECT) continue;
      const before = this.#suspected.get(`${local} ${remote}`);
      // one that was asked less often has acknowledged something in between
      const since = before !== undefined && before.asked <= asked ? before.since : now;
      suspected.set(`${local} ${remote}`, { since, asked });
    }
    this.#suspected = suspected;
    const gone = new Set([...suspected].filter(([, { since }]) => now - since >= GONE_MS).map(([ends]) => ends));
    return gone.size === 0 ? undefined : ({ localAddress, address }) => gone.has(`${localAddress} ${address}`);
  }
}

/** A kernel asks so often within 1.5 s, and one that is far away within ten. */
const SUSPECT = 3;
/** With the time between two looks and until it is suspected, less than a minute. */
const GONE_MS = 30_000;
