import type { Effect } from "../../../core/merge/operations/operation.ts";
import type { NamedMembers } from "../../../core/merge/operations/captured.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { Place } from "../saved/place.ts";

/** The end of a unit of the stream. */
export type Reached = Pick<Place, "replicationId" | "offset" | "database" | "written" | "anchor">;

export interface Unread {
  /** The place before the oldest change that is not captured without it. */
  begin: Reached;
  /** The place behind the last change by a client that is captured with it; 0 of a read that no client has caused. */
  latest: number;
  /** How often the key was read while the site wrote it again: what a client had done may have been hidden then. */
  readonly tries: number;
  readonly captured: PromiseWithResolvers<void>;
  /** Those of a sorted set that are read; undefined: all that the key holds. */
  members: ReadonlySet<string> | undefined;
}

/** A key to be read, or members of a sorted set. */
export type WantedRead = Pick<NamedMembers, "key"> & { readonly members: NamedMembers["members"] | undefined };

export interface PendingRead extends WantedRead, Omit<Unread, "members"> {
  readonly replies: Promise<readonly Reply[]>;
  readonly askedMs: number;
}

/** Called with what clients did; `read`: keys of it that are read first. */
export type TakeEffects = (effects: readonly Effect[], read: readonly string[]) => void;

/** Called with what a key holds that clients have written, the last time before `latest`, see `Unread`; false when it has to be read again. */
export type TakeRead = (key: string, effects: readonly Effect[], latest: number) => boolean;
