import { isDeepStrictEqual } from "node:util";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { mayLetIn, type FollowedSite } from "../../../core/planner/active-active/let-in.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import { withSitesJoined } from "../../../core/records/changes.ts";
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
 * Lets in the clients of each site that awaits others and has its primary on this node, once its link has what the others hold; until `signal`
 * aborts.
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
  const { records, log } = context;
  const state = records.state();
  if (state === undefined || !mayLetIn(state, record, await followedSite(context, record))) return;
  // another primary, or another start of this one, has to be asked about again
  await records.changeDatabase(record.uid, (old) =>
    isDeepStrictEqual(old.shards, record.shards) && old.status !== "recovery" ? withSitesJoined(old) : old,
  );
  log.info("clients of a site are let in", { bdb: record.uid });
}

/** The site as the link is configured now: its answer was asked for after that. */
async function followedSite({ link }: JoinedSitesContext, { uid }: DatabaseRecord): Promise<FollowedSite | undefined> {
  const used = link.used()?.databases.find(({ bdb }) => bdb === uid);
  if (used?.awaitsSites !== true || used.primary === undefined) return undefined;
  const status = (await link.status()).find(({ guid }) => guid === used.guid);
  return status && { sites: used.sites.map(({ id }) => id), hasJoined: status.hasJoined };
}
