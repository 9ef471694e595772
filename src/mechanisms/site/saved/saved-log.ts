import { decodeOperation } from "../../../core/merge/operations/operation-codec.ts";
import type { LoggedEntry } from "../../../core/merge/saved/saved-site.ts";
import { decodeLoggedSummary, encodeLoggedSummary } from "../../../core/merge/summary/summary.ts";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { KeptKeys } from "./slice.ts";
import { LINK_DATABASE, type LinkKeyCommand } from "./marks.ts";
import { placeIn, type Place } from "./place.ts";

/** What the link of an engine has saved in it. */
export interface SavedLog {
  /** Undefined: no link was ever here. */
  readonly place: Place | undefined;
  readonly checkpoint: Uint8Array | undefined;
  /** Since the checkpoint: own ones as they were captured, those of other sites as they were applied. */
  readonly entries: readonly LoggedEntry[];
  readonly size: SavedSize;
}

/** Bytes of what is saved. */
export interface SavedSize {
  readonly checkpoint: number;
  readonly log: number;
}

/** Reads it, all at one moment. */
export async function readSavedLog(client: EngineClient, kept: KeptKeys): Promise<SavedLog> {
  const commands: readonly (readonly (string | number)[])[] = [
    ["MULTI"],
    ["SELECT", LINK_DATABASE],
    ["HGET", kept.checkpoint, "place"],
    ["HGET", kept.checkpoint, "state"],
    ["LRANGE", kept.log, 0, -1],
    ["SELECT", 0],
    ["EXEC"],
  ];
  const replies = await Promise.all(commands.map((command) => client.call(...command)));
  const executed = replies.at(-1);
  const [, placeText, state, log] = Array.isArray(executed) ? executed : [];
  const entries = Array.isArray(log) ? log.map(bytesOf) : [];
  const places = entries.filter(isPlace).map((entry) => entry.subarray(1));
  const last = places.at(-1) ?? (placeText instanceof Uint8Array ? placeText : undefined);
  const checkpoint = state instanceof Uint8Array ? state : undefined;
  return {
    place: last && placeIn(Buffer.from(last).toString()),
    checkpoint,
    entries: entries.filter((entry) => !isPlace(entry)).map(loggedIn),
    size: { checkpoint: checkpoint?.length ?? 0, log: entries.reduce((sum, { length }) => sum + length, 0) },
  };
}

const [PLACE, CAPTURED, APPLIED, SUMMARY] = [0x50, 0x43, 0x41, 0x53];

/** What is appended to the log at once. */
export interface LogAppendix {
  readonly entries: readonly LoggedEntry[];
  readonly place: Place;
}

/** Appends to the log. */
export function appendToLog({ entries, place: at }: LogAppendix, kept: KeptKeys): LinkKeyCommand {
  return ["RPUSH", kept.log, ...entries.map(encodeLogged), entry(PLACE, Buffer.from(JSON.stringify(at)))];
}

/** Takes the place of what was saved, and of the log. */
export function saveState(state: Uint8Array, at: Place, kept: KeptKeys): readonly LinkKeyCommand[] {
  return [
    ["HSET", kept.checkpoint, "place", JSON.stringify(at), "state", state],
    ["DEL", kept.log],
  ];
}

function entry(kind: number, body: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(body.length + 1);
  bytes.writeUInt8(kind, 0);
  bytes.set(body, 1);
  return bytes;
}

function encodeLogged(of: LoggedEntry): Uint8Array {
  switch (of.kind) {
    case "captured":
      return entry(CAPTURED, of.operation.bytes);
    case "applied":
      return entry(APPLIED, of.operation.bytes);
    case "summary":
      return entry(SUMMARY, encodeLoggedSummary(of));
  }
}

function loggedIn(bytes: Uint8Array): LoggedEntry {
  const body = bytes.subarray(1);
  if (bytes[0] === SUMMARY) return { kind: "summary", ...decodeLoggedSummary(body) };
  return { kind: bytes[0] === CAPTURED ? "captured" : "applied", operation: decodeOperation(body) };
}

function isPlace(bytes: Uint8Array): boolean {
  return bytes[0] === PLACE;
}

function bytesOf(reply: Reply): Uint8Array {
  return reply instanceof Uint8Array ? reply : Buffer.from(String(reply));
}
