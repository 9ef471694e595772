import { randomUUID } from "node:crypto";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { OtherSites } from "../../core/merge/operations/origin.ts";
import type { VersionVector } from "../../core/merge/operations/version-vector.ts";
import type { EngineClient } from "../../ports/resp/engine-client.ts";
import type { ReplicationStream } from "../../ports/resp/replication-stream.ts";
import { runOf } from "./operations/engine-run.ts";
import { attachStream, connectBeside, connectSite, type SiteEngine } from "./operations/connect-site.ts";
import type { OtherKeys } from "./state/other-keys.ts";
import { openSite, type OpenedSite } from "./saved/open-site.ts";
import { resumeFromFile } from "./operations/resume-from-file.ts";
import type { Place } from "./saved/place.ts";
import { readSavedLog, type SavedSize } from "./saved/saved-log.ts";

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
  /** Connects to a site that has captured all that it holds; undefined when no other one has, so that this one counts as such. */
  readonly connectWhole: () => Promise<OtherKeys | undefined>;
  /** What the other sites have of this one, of those that say it at once. */
  readonly askOthers: () => Promise<OtherSites>;
  /** What other sites had of this one that was not here, as far as that was noticed. */
  readonly outnumberedBy: VersionVector;
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

/** Connections that wait until what was written lasts. */
export interface Confirming {
  readonly replicas: EngineClient;
  readonly disk: EngineClient;
}

/** Connects, ends a link that was here before, reads what it has saved, and attaches to the stream where that ends. */
export async function beginSite(options: EngineSiteOptions): Promise<{
  readonly begin: BegunSite;
  readonly stream: ReplicationStream;
  readonly confirming: Confirming;
}> {
  const client = await connectSite(options);
  const confirming = { replicas: await connectBeside(options), disk: await connectBeside(options) };
  const saved = await readSavedLog(client);
  const engineRun = await runOf(client);
  const { stream, isFromFile } = await goOn({ ...options, client }, saved.place);
  // another process may have less than this site has sent: it is older, or has lost the end of its file
  const isSame = saved.place?.engine === engineRun;
  const asked = isSame ? { received: [], isComplete: true } : await options.askOthers();
  const others = { ...asked, received: [...asked.received, options.outnumberedBy] };
  const life = randomUUID();
  // what comes from now on is in the stream
  const isEmpty = (await client.call("DBSIZE")) === 0;
  const now = options.clock.now().getTime();
  const opened = openSite({ ...options, engineRun, life, isEmpty, others, now }, saved, stream);
  const { resumed } = stream;
  const isNumberedAnew = saved.place !== undefined && saved.place.origin !== opened.from.origin;
  options.log.info("the primary is followed", {
    resumed,
    isFromFile,
    isNumberedAnew,
    areOthersAsked: !isSame,
    othersAnswered: others.isComplete,
    offset: opened.from.offset,
    entries: saved.entries.length,
  });
  return {
    begin: { ...opened, client, beside: () => connectBeside(options), life, saved: saved.size },
    stream,
    confirming,
  };
}

/** The stream from the saved place on: at the engine, or in its append-only file when the engine has begun another stream. */
async function goOn(options: EngineSiteOptions & { readonly client: EngineClient }, place: Place | undefined) {
  // a place in a file is in no stream
  const stream = await attachStream(options, place?.replicationId === "" ? undefined : place);
  const commands =
    stream.resumed || place === undefined ? undefined : await resumeFromFile(options, place, stream.commands);
  return commands === undefined || place === undefined
    ? { stream, isFromFile: false }
    : { stream: { position: place, resumed: true, commands }, isFromFile: true };
}
