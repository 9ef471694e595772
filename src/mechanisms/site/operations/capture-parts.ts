import type { NamedMembers } from "../../../core/merge/operations/captured.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { Place } from "../saved/place.ts";

/** The end of a unit of the stream. */
export type Reached = Pick<Place, "replicationId" | "offset" | "database" | "written" | "anchor">;

export interface Unread {
  /** The place before the oldest change that is not captured without it. */
  begin: Reached;
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
