import type { Clock } from "../../../core/base/clock.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import type { ActionRecord, BdbRecord } from "../../../ports/management/records.ts";
import { readRecords, type ClusterRecords, type UnreachableCluster } from "./cluster-records.ts";

/** What a cluster said, or why it said nothing. */
export type PollResult = ClusterRecords | UnreachableCluster;

/** What a cluster says of itself, asked no more often than is needed however many want to know. */
export interface PolledState {
  /** At most `maxAgeMs` old. Those who ask meanwhile share a question, unless it was put before they may count it. */
  records(maxAgeMs: number): Promise<PollResult>;
  /** What the answer to a write has told of a database; counts until it is heard of again. */
  recordWrite(bdb: BdbRecord): void;
}

/** Asks through `client`; `onNews` gets the names of databases of which something else is heard than before. */
export function pollState(
  client: ManagementClient,
  clock: Clock,
  onChange: (databases: readonly string[]) => void,
): PolledState {
  const now = (): number => clock.now().getTime();
  const news = newsTeller(onChange);
  const told = new Map<string, { readonly bdb: BdbRecord; readonly at: number }>();
  let last: { readonly polled: PollResult; readonly at: number } | undefined;
  let asking: { readonly answer: Promise<PollResult>; readonly at: number } | undefined;

  const ask = async (at: number): Promise<PollResult> => {
    const polled = await readRecords(client);
    for (const [name, word] of told) if (word.at < at) told.delete(name);
    last = {
      polled: withWrites(
        polled,
        [...told.values()].map(({ bdb }) => bdb),
      ),
      at,
    };
    asking = undefined;
    news(last.polled);
    return last.polled;
  };
  return {
    async records(maxAgeMs) {
      const since = now() - maxAgeMs;
      for (;;) {
        if (last !== undefined && last.at >= since) return last.polled;
        if (asking === undefined) {
          const at = now();
          asking = { at, answer: ask(at) };
        }
        const { answer, at } = asking;
        await answer;
        if (at < since) continue;
      }
    },
    recordWrite(bdb) {
      told.set(bdb.name, { bdb, at: now() });
      if (last !== undefined) last = { ...last, polled: withWrites(last.polled, [bdb]) };
    },
  };
}

function withWrites(polled: PollResult, told: readonly BdbRecord[]): PollResult {
  if ("unreachable" in polled || told.length === 0) return polled;
  const names = new Set(told.map(({ name }) => name));
  return { ...polled, bdbs: [...polled.bdbs.filter(({ name }) => !names.has(name)), ...told] };
}

/** Compares each answer with the one before; a cluster that falls silent tells no news of its databases. */
function newsTeller(onChange: (databases: readonly string[]) => void): (polled: PollResult) => void {
  let before: ClusterRecords | undefined;
  let signs = new Map<string, string>();
  return (polled) => {
    if ("unreachable" in polled) return;
    if (polled.bdbs === before?.bdbs && polled.actions === before.actions) return;
    before = polled;
    const actions = new Map(polled.actions.map((action) => [action.action_uid, action]));
    const next = new Map(polled.bdbs.map((bdb) => [bdb.name, signOf(bdb, actions.get(bdb.action_uid))]));
    const changed = [...next].filter(([name, sign]) => signs.get(name) !== sign).map(([name]) => name);
    const gone = [...signs.keys()].filter((name) => !next.has(name));
    signs = next;
    if (changed.length + gone.length > 0) onChange([...changed, ...gone]);
  };
}

/** Everything about a database but what moves by itself. */
function signOf(bdb: BdbRecord, action: ActionRecord | undefined): string {
  const shards = bdb.shard_list.map((instance) => ({ ...instance, offset: 0, lag_bytes: 0 }));
  return JSON.stringify([{ ...bdb, shard_list: shards }, action]);
}
