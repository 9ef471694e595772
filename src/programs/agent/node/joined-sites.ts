import { isDeepStrictEqual } from "node:util";
import type { DatabaseRecord, ShardRecord } from "../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { mayLetIn, type FollowedSite } from "../../../core/planner/active-active/let-in.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import { hasJoined, withShardsJoined } from "../../../core/records/joined-shards.ts";
import { slotsOf } from "../../../core/slots/shard-slots.ts";
import { namedSlices } from "../../../core/slots/site-slices.ts";
import type { Records } from "../records/records.ts";
import type { AgentConfig } from "../runtime/config.ts";
import type { NodeLink } from "./link.ts";

/** What letting in the clients of sites works on. */
export interface JoinedSitesContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly records: Pick<Records, "state" | "databases" | "changeDatabase">;
  readonly link: Pick<NodeLink, "used" | "status">;
  readonly clock: Clock;
  readonly log: Log;
}

const CHECK_MS = 250;

/**
 * Lets in the clients of each site that awaits others, once the links of all its shards have what the others hold: each node says it of the primaries that
 * are there. Until `signal` aborts.
 */
export async function letClientsIn(context: JoinedSitesContext, signal: AbortSignal): Promise<void> {
  const { config, records, clock, log } = context;
  while (!signal.aborted) {
    const waiting = records.databases().filter((record) => isAwaitingHere(record, config.node));
    for (const record of waiting)
      try {
        await letIn(context, record);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        log.warn("clients of a site cannot be let in yet", { bdb: record.uid, error });
      }
    await clock.sleep(CHECK_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
  }
}

function isAwaitingHere({ awaitsSites, status, shards }: DatabaseRecord, node: number): boolean {
  const isHere = shards.some((shard) => primaryOf(shard).node === node);
  return awaitsSites === true && status !== "delete-pending" && isHere;
}

async function letIn(context: JoinedSitesContext, record: DatabaseRecord): Promise<void> {
  const { config, records, log } = context;
  const state = records.state();
  if (state === undefined) return;
  const joined: number[] = [];
  for (const shard of record.shards)
    if (primaryOf(shard).node === config.node && !hasJoined(record, shard))
      if (mayLetIn(state, record, await followedShard(context, record, shard))) joined.push(shard.id);
  if (joined.length === 0) return;
  // another primary, or another start of this one, has to be asked about again
  await records.changeDatabase(record.uid, (old) =>
    isDeepStrictEqual(old.shards, record.shards) && old.status !== "recovery" ? withShardsJoined(old, joined) : old,
  );
  log.info("the data of the other sites is here", { bdb: record.uid, shards: joined });
}

/** The site at a shard as the link is configured now: its answer was asked for after that. */
async function followedShard(
  { link }: JoinedSitesContext,
  { uid, activeActive }: DatabaseRecord,
  shard: ShardRecord,
): Promise<FollowedSite | undefined> {
  if (activeActive === undefined) return undefined;
  const named = namedSlices(activeActive.guid, slotsOf(shard), activeActive.slices ?? 1).map(({ guid }) => guid);
  const used = (link.used()?.databases ?? []).filter(({ bdb, guid }) => bdb === uid && named.includes(guid));
  const isFollowed = used.every(({ awaitsSites, primary }) => awaitsSites && primary !== undefined);
  if (used.length !== named.length || !isFollowed) return undefined;
  const found = (await link.status()).filter(({ guid }) => named.includes(guid));
  if (found.length !== named.length) return undefined;
  const [first, ...others] = used.map(({ sites }) => sites.map(({ id }) => id));
  const sites = (first ?? []).filter((id) => others.every((ids) => ids.includes(id)));
  return { sites, hasJoined: found.every((status) => status.hasJoined) };
}
