import { movesBetween, type ClusterMap, type ClusterMember, type SlotMove } from "../../../core/slots/cluster-map.ts";
import { slotsText } from "../../../core/slots/shard-slots.ts";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";
import { arrayReply, bulkReply, integerReply } from "../protocol/replies.ts";
import type { Moving } from "../session/moving.ts";

/** An endpoint whose clients get the notices. */
interface NotifyingEndpoint {
  readonly config: Pick<EndpointConfig, "tableEpoch">;
  readonly place: { readonly map: ClusterMap | undefined };
  readonly routes: readonly { readonly epoch: number }[];
  readonly clients: Iterable<{ readonly moving: Pick<Moving, "notify"> }>;
}

/** Sends clients of a cluster that have asked for it the slots that are served by another node now: SMIGRATED. */
export class SlotNotices {
  readonly #endpoint: NotifyingEndpoint;
  /** What clients know, and the number of the change that led to it. */
  #known: { readonly map: ClusterMap; readonly number: number } | undefined;

  constructor(endpoint: NotifyingEndpoint) {
    this.#endpoint = endpoint;
  }

  /** Looks whether primaries have moved, or the slots of shards; nodes that come and go alone are no reason. */
  look(): void {
    const { place, clients } = this.#endpoint;
    const { map } = place;
    const known = this.#known;
    const number = this.#number();
    if (map === undefined) this.#known = undefined;
    else if (known === undefined) this.#known = { map, number };
    else if (number > known.number) {
      this.#known = { map, number };
      const moves = movesBetween(known.map, map);
      if (moves.length === 0) return;
      const push = noticeOf(number, moves);
      for (const { moving } of clients) moving.notify(push);
    }
  }

  /** The same at each node for the same change, since libraries act once for each number; higher for each further one. */
  #number(): number {
    const { config, routes } = this.#endpoint;
    return (config.tableEpoch ?? 0) * EPOCHS_OF_TABLE + routes.reduce((sum, { epoch }) => sum + epoch, 0);
  }
}

function noticeOf(number: number, moves: readonly SlotMove[]): Buffer {
  const rows = moves.map(({ from, to, slots }) =>
    arrayReply([addressOf(from), addressOf(to), bulkReply(Buffer.from(slotsText(slots)), 3)]),
  );
  return Buffer.concat([Buffer.from(">3\r\n$9\r\nSMIGRATED\r\n"), integerReply(number), arrayReply(rows)]);
}

function addressOf({ host, port }: ClusterMember): Buffer {
  return bulkReply(Buffer.from(`${host}:${port}`), 3);
}

/** No sum of the epochs of shards is higher; with 2^21 tables the number stays below 2^53. */
const EPOCHS_OF_TABLE = 2 ** 32;
