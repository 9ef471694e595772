import type { EndpointConfig, EndpointShard, ProxyCommand } from "../../../ports/management/proxy-control.ts";

/**
 * Where a leader has sent the clients of shards, by the command that had the highest epoch. The records of a node follow a moment later: a
 * worker that starts meanwhile must not go by what they said before, to an engine that was left for a reason.
 */
export class CommandedShards {
  #endpoints: readonly EndpointConfig[] = [];
  /** By database and shard. */
  readonly #commanded = new Map<string, CommandedShard>();

  /** Takes note of a command, before any worker gets it. */
  note(command: ProxyCommand): void {
    if (command.op !== "fence" && command.op !== "release") return;
    const { bdb, epoch } = command;
    const { shards } = this.#endpoints.find((endpoint) => endpoint.bdb === bdb) ?? { shards: [] };
    // a command without a name is for the only shard
    const meant = shards.find(({ id }) => (command.shard === undefined ? shards.length === 1 : id === command.shard));
    if (meant === undefined) return; // there is nothing older to go by
    const key = keyOf(bdb, meant.id);
    const known = this.#commanded.get(key)?.epoch ?? 0;
    // the release that follows a fence has the same epoch
    if (epoch > known || (epoch === known && command.op === "release"))
      this.#commanded.set(key, commandedShard(command));
  }

  /** These endpoints, with what was commanded where they are older; forgets what they say as well. */
  over(endpoints: readonly EndpointConfig[]): readonly EndpointConfig[] {
    this.#endpoints = endpoints;
    const older = new Set<string>();
    const latest = endpoints.map((endpoint) => {
      const shards = endpoint.shards.map((shard) => {
        const key = keyOf(endpoint.bdb, shard.id);
        const commanded = this.#commanded.get(key);
        if (commanded === undefined || commanded.epoch <= shard.epoch) return shard;
        older.add(key);
        return withCommanded(shard, commanded);
      });
      return { ...endpoint, shards };
    });
    for (const key of this.#commanded.keys()) if (!older.has(key)) this.#commanded.delete(key);
    return latest;
  }
}

/** Without a primary: that of before was left, and the next one is not known. */
type CommandedShard = Pick<EndpointShard, "epoch" | "primary" | "sync">;

function commandedShard(command: Extract<ProxyCommand, { readonly op: "fence" | "release" }>): CommandedShard {
  const { epoch } = command;
  if (command.op === "fence") return { epoch };
  const { target, sync } = command;
  return { epoch, primary: target, ...(sync === undefined ? {} : { sync }) };
}

/** What replies wait for stays as it is where that was not commanded: that of another epoch does not count. */
function withCommanded({ primary: _former, ...shard }: EndpointShard, commanded: CommandedShard): EndpointShard {
  return { ...shard, ...commanded };
}

function keyOf(bdb: number, shard: number): string {
  return `${bdb}/${shard}`;
}
