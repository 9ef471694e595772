import { randomUUID } from "node:crypto";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { CodedOperation } from "../../core/merge/operations/operation-codec.ts";
import type { OtherSites } from "../../core/merge/operations/origin.ts";
import { NOTHING, withDot, type VersionVector } from "../../core/merge/operations/version-vector.ts";
import { RegainedOperations } from "../../core/merge/saved/regained-operations.ts";
import type { EngineClient } from "../../ports/resp/engine-client.ts";
import type { ReplicationStream } from "../../ports/resp/replication-stream.ts";
import { hasRoomBehind, runOf } from "./operations/engine-run.ts";
import { attachStream, connectBeside, connectSite, type SiteEngine } from "./operations/connect-site.ts";
import type { OtherKeys } from "./state/other-keys.ts";
import { keptOfOthers, type KeptOfOthers } from "./saved/kept-of-others.ts";
import { openSite, type OpenedSite } from "./saved/open-site.ts";
import { resumeFromFile } from "./operations/resume-from-file.ts";
import type { Place } from "./saved/place.ts";
import { Regaining } from "./operations/regaining.ts";
import { readSavedLog, type SavedSize } from "./saved/saved-log.ts";

/** What the other sites have said to have of a site, and what of that they still keep. */
export interface AskedSites extends OtherSites {
  readonly operations: readonly CodedOperation[];
}

/** How the other sites are asked. */
export interface SitesQuestion {
  /** Those that say it at once, or when they are asked again and again for a while. */
  readonly howOften: "once" | "again";
  /** The engine keeps its stream until it is read: false when that has filled so much that it must be. */
  readonly hasRoom: () => Promise<boolean>;
}

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
  /** Called with what the engine has kept of other sites, which these may ask for from then on. */
  readonly onRead: (kept: KeptOfOthers) => void;
  /** What the other sites have of this one. */
  readonly askOthers: (asking: SitesQuestion) => Promise<AskedSites>;
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
  /** What the disk of the engine may have lost. */
  readonly regaining: Regaining;
}

/** Connections that wait until what was written lasts. */
export interface Confirming {
  readonly replicas: EngineClient;
  readonly disk: EngineClient;
}

const NOT_ASKED: AskedSites = { received: [], operations: [], isComplete: true };

/** Connects, ends a link that was here before, reads what it has saved, and attaches to the stream where that ends. */
export async function beginSite(options: EngineSiteOptions): Promise<{
  readonly begin: BegunSite;
  readonly stream: ReplicationStream;
  readonly confirming: Confirming;
}> {
  const client = await connectSite(options);
  const confirming = { replicas: await connectBeside(options), disk: await connectBeside(options) };
  const saved = await readSavedLog(client, options.slice.kept);
  options.onRead(keptOfOthers(options, saved));
  const engineRun = await runOf(client);
  const { stream, keptUntil, attachedAt } = await goOn({ ...options, client }, saved.place);
  // another process may have less than this site has sent: it is older, or has lost the end of its file
  const isSame = saved.place?.engine === engineRun;
  const isFromFile = keptUntil !== undefined;
  const hasRoom = (): Promise<boolean> => hasRoomBehind(client, attachedAt);
  const asked = isSame ? NOT_ASKED : await options.askOthers({ howOften: isFromFile ? "again" : "once", hasRoom });
  const others = { ...asked, received: [...asked.received, options.outnumberedBy, ...asked.operations.map(upToIt)] };
  const life = randomUUID();
  // what comes from now on is in the stream
  const isEmpty = (await client.call("DBSIZE")) === 0;
  const now = options.clock.now().getTime();
  const opened = openSite({ ...options, engineRun, life, isEmpty, others, now }, saved, stream);
  const regained = new RegainedOperations(options.id, isFromFile ? asked.operations : [], opened.site.received);
  options.log.info("the primary is followed", {
    resumed: stream.resumed,
    isFromFile,
    isNumberedAnew: saved.place !== undefined && saved.place.origin !== opened.from.origin,
    areOthersAsked: !isSame,
    othersAnswered: others.isComplete,
    regained: regained.lost.length,
    offset: opened.from.offset,
    entries: saved.entries.length,
  });
  const regaining = new Regaining({ ...options, ...opened, regained, keptUntil: keptUntil ?? 0 });
  const begun = { client, beside: () => connectBeside(options), life, saved: saved.size, regaining };
  return { begin: { ...opened, ...begun }, stream, confirming };
}

/** Another site may have an operation that it has not received yet, because it lacks one that it follows. */
function upToIt({ dot }: CodedOperation): VersionVector {
  return withDot(NOTHING, dot);
}

/** The stream from the saved place on: at the engine, or in its append-only file when the engine has begun another stream. */
async function goOn(options: EngineSiteOptions & { readonly client: EngineClient }, place: Place | undefined) {
  // a place in a file is in no stream
  const stream = await attachStream(options, place?.replicationId === "" ? undefined : place);
  const file =
    stream.resumed || place === undefined ? undefined : await resumeFromFile(options, place, stream.commands);
  const attachedAt = stream.position.offset;
  return file === undefined || place === undefined
    ? { stream, keptUntil: undefined, attachedAt }
    : { stream: { position: place, resumed: true, commands: file.commands }, keptUntil: file.keptUntil, attachedAt };
}
