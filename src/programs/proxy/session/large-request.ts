import { assertNever } from "#kit/base/assert-never";
import { keyPlacesOf, type KeyPlace } from "../../../core/slots/keys-of.ts";
import type { SlotTable } from "../../../core/slots/slot-table.ts";
import { KeysInPieces } from "../protocol/keys-in-pieces.ts";
import { notWithShards, replies } from "../protocol/replies.ts";
import { REQUEST_LIMITS } from "../protocol/request-limits.ts";
import { shardingOf } from "../protocol/table/sharding.ts";

/** What is known of a large request while it arrives. */
export interface LargeRequest {
  /** The name of its command, in upper case. */
  readonly name: string;
  /** Why no engine may execute it, as far as it has arrived. */
  readonly objection: Buffer | undefined;
  /** Takes what follows. */
  take(bytes: Buffer): void;
}

/** Where a large request goes: the place of the shard, and what is known of the request. */
export interface UploadTarget {
  readonly shard: number;
  readonly request: LargeRequest;
}

/** The beginning of a large request to a database of several shards. */
export interface LargeHead {
  readonly name: string;
  readonly head: Buffer;
  readonly table: SlotTable;
  /** The place of a shard that serves now, for a request without a key. */
  readonly any: number;
}

/** Such a request where there is one shard, or of which any shard gets all, whatever its words are. */
export function freeRequest(name: string): LargeRequest {
  return { name, objection: undefined, take: () => undefined };
}

/**
 * Where a large request goes at a database of several shards. Undefined when more of it must be collected first: its first key, or all of what is
 * split by shard, of what each shard gets, and of what names its keys by options. Above a limit, these have keys of one slot or are refused.
 */
export function targetAtShards(beginning: LargeHead): UploadTarget | undefined {
  const { name, any } = beginning;
  const sharding = shardingOf(name);
  switch (sharding) {
    case "slot":
      return atKeys(beginning, keyPlacesOf(name));
    case "sum":
    case "list":
    case "ok":
      return isTooLarge(beginning) ? atKeys(beginning, keyPlacesOf(name)) : undefined;
    case "channel":
      return atKeys(beginning, CHANNEL);
    case "any":
    case "random":
      return { shard: any, request: freeRequest(name) };
    case "every":
    case "none":
      return atKeys(beginning, undefined);
    default:
      return assertNever(sharding);
  }
}

/** `places`: where its keys stand; undefined when that is not known before it is whole. */
function atKeys(beginning: LargeHead, places: readonly KeyPlace[] | undefined): UploadTarget | undefined {
  const { name, head, table, any } = beginning;
  if (places === undefined) return isTooLarge(beginning) ? refuse(beginning, name) : undefined;
  const keys = new KeysInPieces(places);
  keys.take(head);
  if (!keys.isDecided) return isTooLarge(beginning) ? refuse(beginning, "a key") : undefined;
  const { slot } = keys;
  return { shard: slot === undefined ? any : (table[slot] ?? any), request: new KeyedRequest(name, keys) };
}

function isTooLarge({ head }: LargeHead): boolean {
  return head.length > REQUEST_LIMITS.splitBytes;
}

function refuse({ name, any }: LargeHead, what: string): UploadTarget {
  const objection = notWithShards(`${what} of more than ${REQUEST_LIMITS.splitBytes / 2 ** 20} MiB`);
  return { shard: any, request: { ...freeRequest(name), objection } };
}

/** A request whose keys must lie in one slot. */
class KeyedRequest implements LargeRequest {
  readonly name: string;
  readonly #keys: KeysInPieces;

  constructor(name: string, keys: KeysInPieces) {
    this.name = name;
    this.#keys = keys;
  }

  get objection(): Buffer | undefined {
    return this.#keys.crosses ? replies.crossSlot : undefined;
  }

  take(bytes: Buffer): void {
    this.#keys.take(bytes);
  }
}

/** Its channel stands where others have their key. */
const CHANNEL: readonly KeyPlace[] = [{ kind: "range", from: 1, to: 1, step: 1 }];
