import { Fault } from "#kit/base/fault";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { DatabasePasswords } from "../credentials/database-passwords.ts";
import { faults } from "../faults.ts";
import { engineAddress, nodeAddress, type EngineAddressContext } from "../members/addresses.ts";
import { endpointShard, placeAt } from "../members/endpoint-shard.ts";
import type { Members } from "../members/members.ts";
import { syncReplicas } from "../members/sync-replicas.ts";
import { askMover, type MoversContext } from "../observation/ask-mover.ts";
import type { Records } from "../records/records.ts";
import type { ProxyPort, ShardPorts } from "../switchover/ports.ts";
import type { TablePorts } from "../switchover/table-ports.ts";

/** What the ports of a leader lead to. */
export type LeaderPortsContext = EngineAddressContext &
  MoversContext & {
    readonly members: Pick<Members, "get" | "list">;
    readonly passwords: Pick<DatabasePasswords, "of">;
    readonly records: Pick<Records, "changeDatabase">;
    readonly clock: Clock;
    readonly log: Log;
  };

/** What changes of primaries and of tables work on, of one cluster. */
export class LeaderPorts {
  readonly #context: LeaderPortsContext;
  readonly #proxies: () => readonly ProxyPort[];

  constructor(context: LeaderPortsContext, proxies: () => readonly ProxyPort[]) {
    this.#context = context;
    this.#proxies = proxies;
  }

  /** For one shard of the database. */
  async forShard(record: DatabaseRecord): Promise<Omit<ShardPorts, "before">> {
    const { records, log, clock } = this.#context;
    const { access } = await this.#context.passwords.of(record);
    return {
      proxies: this.#proxies(),
      addressOf: (instance) => engineAddress(this.#context, instance, access),
      change: async (change) => {
        const stored = await records.changeDatabase(record.uid, change);
        if (stored === undefined)
          throw new Fault(faults.recordMoved, `database ${record.uid} is gone`, { bdb: record.uid });
        return stored;
      },
      syncOf: (changed, shard) => syncReplicas(this.#context, changed, shard),
      log,
      clock,
    };
  }

  /** For all shards of the database, and those that are to be. */
  async forTable(record: DatabaseRecord): Promise<TablePorts> {
    const context = this.#context;
    const addressOf = (node: number): string | undefined => nodeAddress(context, node);
    return {
      ...(await this.forShard(record)),
      askMover: (latest, question) => askMover(context, latest, question),
      shown: (latest, shards) =>
        shards.map((shard) =>
          endpointShard(shard, { addressOf, syncOf: ({ id }) => syncReplicas(context, latest, id) }),
        ),
      placeOf: (upstream) => placeAt(upstream, addressOf),
      now: () => context.clock.now(),
    };
  }
}
