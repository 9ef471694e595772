import type { Clock } from "#kit/base/clock";
import type { ManagementClient } from "../../../ports/management/client.ts";
import type { BdbRecord } from "../../../ports/management/records.ts";
import { readRecords, type ClusterRecords, type UnreachableCluster } from "./cluster-records.ts";

/** The answer of a cluster, or why there is none. */
export type PollResult = ClusterRecords | UnreachableCluster;

/** The state that the management API of a cluster last answered; callers share a poll. */
export interface PolledState {
  /** At most `maxAgeMs` old. Concurrent callers share a poll, unless it began too early for one of them. */
  records(maxAgeMs: number): Promise<PollResult>;
  /** Takes the answer to a write of a database; it counts until a poll that began later is answered. */
  recordWrite(bdb: BdbRecord): void;
}

/** Polls through `client`; calls `onChange` with the names of databases whose state differs from the last poll. */
export function pollState(
  client: ManagementClient,
  clock: Clock,
  onChange: (databases: readonly string[]) => void,
): PolledState {
  const now = (): number => clock.uptimeMs();
  const notify = changeDetector(onChange);
  const writes = new Map<string, Write>();
  let last: { readonly polled: PollResult; readonly at: number } | undefined;
  let polling: { readonly done: Promise<void>; readonly at: number } | undefined;

  const poll = async (at: number): Promise<void> => {
    const polled = await readRecords(client);
    for (const [name, write] of writes) if (write.at < at) writes.delete(name);
    const bdbs = [...writes.values()].map(({ bdb }) => bdb);
    last = { polled: withWrites(polled, bdbs), at };
    polling = undefined;
    notify(last.polled);
  };
  return {
    async records(maxAgeMs) {
      const since = now() - maxAgeMs;
      for (;;) {
        if (last !== undefined && last.at >= since) return last.polled;
        if (polling === undefined) {
          const at = now();
          polling = { at, done: poll(at) };
        }
        await polling.done;
      }
    },
    recordWrite(bdb) {
      writes.set(bdb.name, { bdb, at: now() });
      if (last !== undefined) last = { ...last, polled: withWrites(last.polled, [bdb]) };
    },
  };
}

interface Write {
  readonly bdb: BdbRecord;
  readonly at: number;
}

function withWrites(polled: PollResult, written: readonly BdbRecord[]): PollResult {
  if ("unreachable" in polled || written.length === 0) return polled;
  const names = new Set(written.map(({ name }) => name));
  return { ...polled, bdbs: [...polled.bdbs.filter(({ name }) => !names.has(name)), ...written] };
}

/** Compares each answer with the one before; no answer changes no database. */
function changeDetector(onChange: (databases: readonly string[]) => void): (polled: PollResult) => void {
  let before: ClusterRecords | undefined;
  let digests = new Map<string, string>();
  return (polled) => {
    if ("unreachable" in polled) return;
    const { bdbs, shards, actions } = polled;
    if (bdbs === before?.bdbs && shards === before.shards && actions === before.actions) return;
    before = polled;
    const next = digestsOf(polled);
    const changed = [...next].filter(([name, digest]) => digests.get(name) !== digest).map(([name]) => name);
    const gone = [...digests.keys()].filter((name) => !next.has(name));
    digests = next;
    if (changed.length + gone.length > 0) onChange([...changed, ...gone]);
  };
}

/** Everything about each database but the replication offsets, which change all the time; by name. */
function digestsOf({ bdbs, shards, actions }: ClusterRecords): Map<string, string> {
  const actionOf = new Map(actions.map((action) => [action.action_uid, action]));
  const shardsOf = Map.groupBy(shards, ({ bdb_uid }) => bdb_uid);
  const digestOf = (bdb: BdbRecord): string => {
    const still = shardsOf.get(bdb.uid)?.map((shard) => ({ ...shard, offset: 0, lag_bytes: 0 }));
    // a node of release 0.1.0 lists the shards themselves
    return JSON.stringify([{ ...bdb, shard_list: [] }, still, actionOf.get(bdb.action_uid)]);
  };
  return new Map(bdbs.map((bdb) => [bdb.name, digestOf(bdb)]));
}
