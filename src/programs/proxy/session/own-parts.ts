import type { SessionParts } from "../client/session-parts.ts";
import type { PinnedRoute } from "../pinned/pinned-route.ts";
import type { Invalidations } from "./invalidations.ts";
import type { Moving } from "./moving.ts";
import type { ReplyMode } from "./reply-mode.ts";
import type { RequestReader, RequestTaker } from "./request-reader.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";
import type { SharedRoute } from "./shared-route.ts";
import type { ShardedRoute } from "./sharded-route.ts";
import type { TableCrossing } from "./table-crossing.ts";
import type { UploadRoute } from "./upload-route.ts";

/** The parts of a session that its life, its turns and its output join. */
export interface OwnParts extends SessionParts {
  readonly endpoint: SessionEndpoint;
  readonly output: SessionParts["output"] & {
    /** Sends `last`, and FIN behind it. */
    end(last: Buffer | undefined): void;
    /** The client is gone. */
    stop(): void;
  };
  /** Another one when other shards serve the database. */
  readonly shared: SharedRoute | ShardedRoute;
  readonly pinned: PinnedRoute;
  readonly uploads: UploadRoute;
  readonly moving: Moving;
  readonly invalidations: Invalidations;
  readonly replyMode: ReplyMode;
  readonly life: SessionParts["life"] & {
    /** Goes on with what was begun, now that perhaps nothing is in flight any more. */
    settled(): void;
    /** The client sends nothing more: the session ends when all was taken. To be called again when more was. */
    endInput(): void;
    /** The connection is gone. */
    close(): void;
  };
  readonly turns: SessionParts["turns"] &
    RequestTaker & {
      readonly reader: RequestReader;
    };
  readonly work: SessionParts["work"] & {
    readonly crossing: TableCrossing;
    /** A request of this client is at an engine; one that blocks does not count. */
    readonly busy: boolean;
    /** Gives what the proxy answers itself its place behind what is pending; false when it has none there. */
    answerBehind(reply: Buffer): boolean;
  };
}
