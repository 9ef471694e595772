import type { Effect } from "../../../src/core/merge/operations/operation.ts";
import type { Apply } from "../../../src/core/merge/saved/pending-applies.ts";
import type { OverKey } from "../../../src/core/merge/over-removals.ts";
import type { EngineCommand } from "../../../src/core/merge/state/engine-writes.ts";
import { KnownScores } from "../../../src/core/merge/operations/known-scores.ts";
import { LostExpiries, type KeyLook } from "../../../src/core/merge/state/lost-expiries.ts";
import type { SiteLimits } from "../../../src/core/merge/site-options.ts";
import type { RegainedOperations } from "../../../src/core/merge/saved/regained-operations.ts";
import { Site } from "../../../src/core/merge/site.ts";
import type { EncodedOperation } from "../../../src/core/merge/operations/operation-codec.ts";
import type { Remains } from "../../../src/core/merge/saved/saved-site.ts";
import { encodeLoggedSummary, type SummaryPart } from "../../../src/core/merge/summary/summary.ts";
import type { TransferBegin } from "../../../src/core/merge/transfer/transfer.ts";
import type { Dot, VersionVector } from "../../../src/core/merge/operations/version-vector.ts";
import { ModelEngine } from "./model-engine.ts";

/** What an engine did: a command or transaction of a client, a transaction of the site, or a read at a point of the stream. */
export type Entry =
  | { readonly kind: "commands"; readonly commands: readonly (readonly string[])[] }
  | { readonly kind: "mark"; readonly mark: string; readonly commands: readonly EngineCommand[] }
  | ({ readonly kind: "looked"; readonly key: string; readonly life: number } & KeyLook)
  | ({ readonly kind: "read"; readonly life: number; readonly effects: readonly Effect[] } & Wanted)
  | { readonly kind: "members"; readonly key: string; readonly life: number; readonly effects: readonly Effect[] }
  | { readonly kind: "watched"; readonly key: string; readonly life: number; readonly version: number }
  | ({ readonly kind: "give"; readonly effects: readonly Effect[] } & Gift);

/** A key to be read, or members of a sorted set. */
export interface Wanted {
  readonly key: string;
  /** How often it was read while it was being repaired. */
  readonly tries?: number;
  /** Behind the change that is captured with it. */
  readonly latest?: number;
  /** How often it was read while something was to come back that changes it. */
  readonly held?: number;
  readonly members: readonly string[] | undefined;
}

/** A key for a site that joins, asked for by one process of the site that gives. */
interface Gift {
  readonly key: string;
  readonly life: number;
  readonly transfer: Transfer;
}

/** Where to read on in the stream, and the keys that were to be read, looked at or written again before it. */
export interface Position extends Pick<Remains, "due"> {
  readonly at: number;
  /** What the engine did by itself is captured up to there. */
  readonly captured: number;
  readonly unread: readonly string[];
  readonly suspects: readonly string[];
  /** Who numbers the operations that are captured there. */
  readonly origin: number;
  /** The engine process that was followed. */
  readonly run: number;
  /** Something that its disk has lost was still to come back. */
  readonly isUnderWay: boolean;
  /** What the disk has kept was being read. */
  readonly isInFile: boolean;
}

export type Work =
  | { readonly kind: "apply"; readonly apply: Apply }
  | ({ readonly kind: "read" } & Wanted)
  | { readonly kind: "look"; readonly key: string }
  /** Clients that write the key from now on are noticed. */
  | { readonly kind: "watch"; readonly key: string }
  | { readonly kind: "over"; readonly over: OverKey; readonly version: number }
  | { readonly kind: "members"; readonly key: string }
  | { readonly kind: "log"; readonly operations: readonly EncodedOperation[]; readonly position: Position }
  /** What a site at the other end of the link needs that lacks what is no longer kept. */
  | {
      readonly kind: "summarize";
      readonly link: string;
      readonly parts: Iterator<SummaryPart>;
      readonly given: readonly Uint8Array[];
    }
  /** Everything that is in it is in the log; what came since follows it, unless that is no longer kept. */
  | {
      readonly kind: "summarized";
      readonly link: string;
      readonly parts: readonly Uint8Array[];
      readonly received: VersionVector;
    }
  | { readonly kind: "save"; readonly bytes: Uint8Array; readonly position: Position }
  | ({ readonly kind: "give" } & Gift)
  /** Everything that was given is in the log. */
  | { readonly kind: "given"; readonly transfer: Transfer };

/** All keys of one site on their way to one that has nothing. */
export interface Transfer {
  readonly from: number;
  readonly to: number;
  /** How the site that gets it numbers its operations then. */
  readonly origin: number;
  readonly begin: TransferBegin;
  /** What the site that gives keeps for it. */
  readonly kept: Disposable;
  missing: number;
  readonly keys: Uint8Array[];
}

type Logged =
  | { readonly kind: "applied" | "summary"; readonly bytes: Uint8Array }
  | { readonly kind: "captured"; readonly bytes: Uint8Array; readonly position: Position };

/** What a disk has of a place. */
export interface Disk {
  readonly engine: ModelEngine;
  /** Entries of the stream. */
  readonly length: number;
  readonly stored: Place["stored"];
  /** What it has logged. */
  readonly received: VersionVector;
}

/** A site with its engine. What is not read-only is lost when its process ends. */
export interface Place {
  readonly id: number;
  /** The keys that are merged there, of an engine that has others too; undefined: all. */
  holds: ((key: string) => boolean) | undefined;
  site: Site;
  origin: number;
  /** `new`: it has nothing yet; `joined`: its clients wait for the other sites; `gone`: it was removed. */
  state: "new" | "joined" | "open" | "gone";
  /** The sites as it was told. */
  sites: readonly number[];
  /** What it gets. */
  transfer: Transfer | undefined;
  /** What the site has read of the stream. */
  at: number;
  /** What the engine did by itself is captured up to there. */
  captured: number;
  /** The keys that it has asked for, or will ask for, once for each time. */
  unread: string[];
  /** Keys that may have lost their time of expiry, each until it is looked at. */
  suspects: Set<string>;
  lost: LostExpiries;
  /** Members of sorted sets, where they are known. */
  scores: KnownScores;
  /** What the engine has not been asked for yet. */
  work: Work[];
  /** After a restart: how far the stream had come then. */
  catchUp: number | undefined;
  life: number;
  engine: ModelEngine;
  stream: Entry[];
  /** What the engine holds for the site. */
  stored: { saved: { readonly bytes: Uint8Array; readonly position: Position } | undefined; log: Logged[] };
  /** What its disk has; undefined where the power never goes, so that it has all. */
  disk: Disk | undefined;
  /** Operations of before a power cut that others have. */
  regained: RegainedOperations | undefined;
  /** How often its engine has begun. */
  run: number;
  /** How much of the stream was on its disk when the engine began. */
  begun: number;
  /** Its power has gone: the engine serves clients again, and the site has still to ask the others. Until then `site` is what its disk has. */
  isBeginning: boolean;
  /** The operation that says what the entry of the stream did. */
  readonly numbered: Map<number, Dot>;
  /** Difference of the clock of the site, in milliseconds. */
  readonly skew: number;
  readonly limits: SiteLimits;
}

/** A site that has nothing. */
export function newPlace(
  fixed: Pick<Place, "id" | "skew" | "limits">,
  sites: readonly number[],
  state: Place["state"],
): Place {
  return { ...fixed, sites, holds: undefined, ...nothing({ ...fixed, sites }, 0), state };
}

/** All that a place has is gone, with its engine. */
export function loseAll(place: Place): void {
  Object.assign(place, nothing(place, place.life + 1));
}

function nothing(
  { id, sites, limits }: Pick<Place, "id" | "sites" | "limits">,
  life: number,
): Omit<Place, "id" | "sites" | "skew" | "limits" | "holds"> {
  const site = Site.empty({ origin: id, sites, life: String(life), limits });
  return {
    origin: id,
    state: "new",
    transfer: undefined,
    catchUp: undefined,
    at: 0,
    captured: 0,
    life,
    site,
    unread: [],
    suspects: new Set(),
    lost: new LostExpiries(site.keys),
    work: [],
    scores: new KnownScores(),
    engine: new ModelEngine(),
    stream: [],
    stored: { saved: undefined, log: [] },
    disk: undefined,
    regained: undefined,
    run: 0,
    begun: 0,
    isBeginning: false,
    numbered: new Map(),
  };
}

/** A site that is there and has what the others had when it began. */
export function takesPart(place: Place | undefined): place is Place {
  return place?.state === "open" || place?.state === "joined";
}

/** One that gives and takes. */
export function isLinked(place: Place | undefined): place is Place {
  return takesPart(place) && !place.isBeginning;
}

/** What comes into the stream: a key whose time has come is removed first. */
export function runAll({ engine }: Place, commands: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return commands.flatMap((command) => {
    const expired = engine.expire(command[1] ?? "");
    return engine.run(command) ? [...expired, command] : expired;
  });
}

/** The engine does what another site did, and keeps it with its log; it says in its stream only what changed something. */
export function applyAt(place: Place, { mark, commands, logged }: Apply): void {
  const changing = runAll(
    place,
    commands.flatMap((command) => writtenAt(place, command)),
  );
  const { stored, stream } = place;
  if (logged?.kind === "summary") stored.log.push({ kind: "summary", bytes: encodeLoggedSummary(logged) });
  else if (logged !== undefined) stored.log.push({ kind: "applied", bytes: logged.operation.bytes });
  stream.push({ kind: "mark", mark, commands: changing });
}

/** Of a removal of all keys, those of other slices stay. */
function writtenAt({ holds, engine }: Place, command: EngineCommand): readonly EngineCommand[] {
  if (holds === undefined || command[0] !== "FLUSHDB") return [command];
  return engine.keys.filter(holds).map((key) => ["DEL", key]);
}

/** Has the engine do what the site has decided. */
export function applyLater({ work }: Place, applies: readonly Apply[]): void {
  work.push(...applies.map((apply): Work => ({ kind: "apply", apply })));
}

/** Has the engine asked for keys. */
export function readKeys(place: Place, wanted: readonly Wanted[]): void {
  place.unread.push(...wanted.map(({ key }) => key));
  place.work.push(...wanted.map((each): Work => ({ kind: "read", ...each })));
}

/** Has keys looked at that may have lost their time. */
export function suspect(place: Place, keys: readonly string[]): void {
  for (const key of keys) place.suspects.add(key);
  place.work.push(...keys.map((key): Work => ({ kind: "look", key })));
}
