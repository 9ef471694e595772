import { randomUUID } from "node:crypto";
import type { Clock } from "../../core/base/clock.ts";
import type { Log } from "../../core/base/log.ts";
import type { EngineClient } from "../../ports/resp/engine-client.ts";
import type { ReplicationStream } from "../../ports/resp/replication-stream.ts";
import { attachStream, connectBeside, connectSite, type SiteEngine } from "./connect-site.ts";
import type { OtherKeys } from "./other-keys.ts";
import { openSite, type OpenedSite } from "./open-site.ts";
import { resumeFromFile } from "./resume-from-file.ts";
import type { Place } from "./place.ts";
import { readSavedLog, type SavedSize } from "./saved-log.ts";

export interface EngineSiteOptions extends SiteEngine {
  /** Number of the site. */
  readonly id: number;
  /** All sites, this one included. */
  readonly sites: readonly number[];
  readonly clock: Clock;
  readonly log: Log;
  /** Where the engine keeps its append-only file; undefined where it cannot be read. */
  readonly appendOnlyFolder: string | undefined;
  /** Bytes of operations that are kept for other sites. */
  readonly keptBytes: number;
  /** Replicas in sync that must have what other sites learn. */
  readonly confirmedBy: () => number;
  /** Connects to a site that has captured all that it holds; undefined when this one counts as such, since no other one is. */
  readonly connectWhole: () => Promise<OtherKeys | undefined>;
}

/** A site at its engine, before anything of the stream is read. */
export interface BegunSite extends OpenedSite {
  readonly client: EngineClient;
  /** Opens one more connection. */
  readonly beside: () => Promise<EngineClient>;
  /** Tells the marks of this link from those that an earlier one left in the stream. */
  readonly life: string;
  readonly saved: SavedSize;
}

/** Connects, ends a link that was here before, reads what it has saved, and attaches to the stream where that ends. */
export async function beginSite(options: EngineSiteOptions): Promise<{
  readonly begin: BegunSite;
  readonly stream: ReplicationStream;
  readonly confirming: EngineClient;
}> {
  const client = await connectSite(options);
  const confirming = await connectBeside(options);
  const saved = await readSavedLog(client);
  const { stream, isFromFile } = await goOn({ ...options, client }, saved.place);
  const life = randomUUID();
  // what comes from now on is in the stream
  const isEmpty = (await client.call("DBSIZE")) === 0;
  const opened = openSite(options, saved, stream, { life, isEmpty });
  const { resumed } = stream;
  options.log.info("the primary is followed", {
    ...{ resumed, isFromFile },
    offset: opened.from.offset,
    entries: saved.entries.length,
  });
  return {
    begin: { ...opened, client, beside: () => connectBeside(options), life, saved: saved.size },
    stream,
    confirming,
  };
}

/** The stream where the place that was saved is: at the engine, or where that has begun another one, in its append-only file. */
async function goOn(options: EngineSiteOptions & { readonly client: EngineClient }, place: Place | undefined) {
  // a place in a file is in no stream
  const stream = await attachStream(options, place?.replicationId === "" ? undefined : place);
  const commands =
    stream.resumed || place === undefined ? undefined : await resumeFromFile(options, place, stream.commands);
  return commands === undefined || place === undefined
    ? { stream, isFromFile: false }
    : { stream: { position: place, resumed: true, commands }, isFromFile: true };
}
