import { APART_IN_STREAMS } from "../../../core/merge/operations/apart-in-streams.ts";
import { connectEngine, type EngineAddress, type EngineClient } from "../../../ports/resp/engine-client.ts";
import type { StreamPosition } from "../../../ports/resp/replica-handshake.ts";
import { openReplicationStream, type ReplicationStream } from "../../../ports/resp/replication-stream.ts";
import type { SiteSlice } from "../saved/slice.ts";
import { endEarlierLinks, nameLink } from "./earlier-links.ts";

/** The engine of a site, until the signal. */
export interface SiteEngine {
  readonly engine: EngineAddress;
  /** What of it is the site's. */
  readonly slice: SiteSlice;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 10_000;

/** A connection by which a link writes, after those of a link that was here before have ended. */
export async function connectSite(options: SiteEngine): Promise<EngineClient> {
  const client = await connectBeside(options);
  await endEarlierLinks(client, options.slice.suffix);
  await tellExpiriesApart(client);
  return client;
}

/** An engine that a release before 0.6.0 has started does not do it by itself. */
async function tellExpiriesApart(client: EngineClient): Promise<void> {
  await client.call("CONFIG", "SET", ...Object.entries(APART_IN_STREAMS).flat());
}

/** One more connection by which the link writes. */
export async function connectBeside({ engine, slice, signal }: SiteEngine): Promise<EngineClient> {
  const client = await connectEngine({ ...engine, timeoutMs: TIMEOUT_MS, signal, bulk: "bytes" });
  await nameLink(client, slice.suffix);
  return client;
}

/** The stream of the engine from that place on, or from now on. */
export function attachStream(
  { engine, signal }: Omit<SiteEngine, "slice">,
  from: StreamPosition | undefined,
): Promise<ReplicationStream> {
  return openReplicationStream({ ...engine, timeoutMs: TIMEOUT_MS, signal, from });
}
