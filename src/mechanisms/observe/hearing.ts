import type { Clock } from "../../core/base/clock.ts";
import type { ManagementClient } from "../../ports/management/client.ts";
import type { ActionRecord, BdbRecord } from "../../ports/management/records.ts";
import { readRecords, type ClusterRecords, type Silence } from "./cluster-records.ts";

/** What a cluster said, or why it said nothing. */
export type Heard = ClusterRecords | Silence;

/** What a cluster says of itself, asked no more often than is needed however many want to know. */
export interface Hearing {
  /** At most `maxAgeMs` old. Those who ask meanwhile share a question, unless it was put before they may count it. */
  records(maxAgeMs: number): Promise<Heard>;
  /** What the answer to a write has told of a database; counts until it is heard of again. */
  told(bdb: BdbRecord): void;
}

/** Asks through `client`; `onNews` gets the names of databases of which something else is heard than before. */
export function openHearing(
  client: ManagementClient,
  clock: Clock,
  onNews: (databases: readonly string[]) => void,
): Hearing {
  const now = (): number => clock.now().getTime();
  const news = newsTeller(onNews);
  const told = new Map<string, { readonly bdb: BdbRecord; readonly at: number }>();
  let last: { readonly heard: Heard; readonly at: number } | undefined;
  let asking: { readonly answer: Promise<Heard>; readonly at: number } | undefined;

  const ask = async (at: number): Promise<Heard> => {
    const heard = await readRecords(client);
    for (const [name, word] of told) if (word.at < at) told.delete(name);
    last = {
      heard: withTold(
        heard,
        [...told.values()].map(({ bdb }) => bdb),
      ),
      at,
    };
    asking = undefined;
    news(last.heard);
    return last.heard;
  };
  return {
    async records(maxAgeMs) {
      const since = now() - maxAgeMs;
      for (;;) {
        if (last !== undefined && last.at >= since) return last.heard;
        if (asking === undefined) {
          const at = now();
          asking = { at, answer: ask(at) };
        }
        const { answer, at } = asking;
        await answer;
        if (at < since) continue;
      }
    },
    told(bdb) {
      told.set(bdb.name, { bdb, at: now() });
      if (last !== undefined) last = { ...last, heard: withTold(last.heard, [bdb]) };
    },
  };
}

function withTold(heard: Heard, told: readonly BdbRecord[]): Heard {
  if ("unreachable" in heard || told.length === 0) return heard;
  const names = new Set(told.map(({ name }) => name));
  return { ...heard, bdbs: [...heard.bdbs.filter(({ name }) => !names.has(name)), ...told] };
}

/** Compares each answer with the one before; a cluster that falls silent tells no news of its databases. */
function newsTeller(onNews: (databases: readonly string[]) => void): (heard: Heard) => void {
  let before: ClusterRecords | undefined;
  let signs = new Map<string, string>();
  return (heard) => {
    if ("unreachable" in heard) return;
    if (heard.bdbs === before?.bdbs && heard.actions === before.actions) return;
    before = heard;
    const actions = new Map(heard.actions.map((action) => [action.action_uid, action]));
    const next = new Map(heard.bdbs.map((bdb) => [bdb.name, signOf(bdb, actions.get(bdb.action_uid))]));
    const changed = [...next].filter(([name, sign]) => signs.get(name) !== sign).map(([name]) => name);
    const gone = [...signs.keys()].filter((name) => !next.has(name));
    signs = next;
    if (changed.length + gone.length > 0) onNews([...changed, ...gone]);
  };
}

/** Everything about a database but what moves by itself. */
function signOf(bdb: BdbRecord, action: ActionRecord | undefined): string {
  const shards = bdb.shard_list.map((instance) => ({ ...instance, offset: 0, lag_bytes: 0 }));
  return JSON.stringify([{ ...bdb, shard_list: shards }, action]);
}
