import type { Effect } from "../../../core/merge/operations/operation.ts";
import type { NamedMembers } from "../../../core/merge/operations/captured.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { Place } from "../saved/place.ts";

/** The end of a unit of the stream. */
export type Reached = Pick<Place, "replicationId" | "offset" | "database" | "written" | "anchor">;

/** What clients did to a key, and is not captured before the key is read. */
export interface WantedRead {
  /** The place before it. */
  readonly begin: Reached;
  /** How often the key was read for it while the site wrote the key again: what a client had done may have been hidden then. */
  readonly tries: number;
  /** Those of a sorted set that it needs; undefined: all that the key holds. */
  readonly members: ReadonlySet<string> | undefined;
  /** Called when it is captured. */
  readonly waiting: readonly (() => void)[];
}

export interface Unread {
  /** What is captured with it: one for each number of tries. */
  wanted: readonly WantedRead[];
  /** The place behind the last change by a client that is captured with it; 0 of a read that no client has caused. */
  latest: number;
}

export interface PendingRead extends Unread {
  readonly key: string;
  /** Those of a sorted set that are read; undefined: all that the key holds. */
  readonly members: NamedMembers["members"] | undefined;
  readonly replies: Promise<readonly Reply[]>;
  readonly askedMs: number;
}

/** Only of members. */
export type ReadMembers = PendingRead & NamedMembers;

/** Called with what clients did; `read`: keys of it that are read first. */
export type TakeEffects = (effects: readonly Effect[], read: readonly string[]) => void;

/** Called with what a key holds that clients have written, the last time before `latest`, see `Unread`; false when it has to be read again. */
export type TakeRead = (key: string, effects: readonly Effect[], latest: number) => boolean;
