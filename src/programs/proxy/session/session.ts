import type { Socket } from "node:net";
import { ClientOutput } from "../client/client-output.ts";
import type { ClientIdentity } from "../client/identity.ts";
import { PinnedRoute } from "../pinned/pinned-route.ts";
import { Invalidations } from "./invalidations.ts";
import { Moving } from "./moving.ts";
import type { OwnParts } from "./own-parts.ts";
import { ReplyMode } from "./reply-mode.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";
import type { SessionEvents } from "./session-events.ts";
import { SessionLife } from "./session-life.ts";
import { SessionTurns } from "./session-turns.ts";
import { SessionWork } from "./session-work.ts";
import type { SharedRoute } from "./shared-route.ts";
import type { ShardedRoute } from "./sharded-route.ts";
import { TableCrossing } from "./table-crossing.ts";
import { UploadRoute } from "./upload-route.ts";

/** One client connection: the record of its parts. Each part gets the record as a type that names what it may use. */
export class Session implements OwnParts {
  readonly endpoint: SessionEndpoint;
  readonly identity: ClientIdentity;
  readonly replyMode = new ReplyMode();
  readonly work: SessionWork;
  readonly output: ClientOutput;
  readonly life: SessionLife;
  readonly turns: SessionTurns;
  shared!: SharedRoute | ShardedRoute;
  readonly pinned: PinnedRoute;
  readonly uploads: UploadRoute;
  readonly moving: Moving;
  readonly invalidations: Invalidations;

  constructor(socket: Socket, endpoint: SessionEndpoint, identity: ClientIdentity, events: SessionEvents) {
    // all parts look at these, and at each other only when something happens
    this.endpoint = endpoint;
    this.identity = identity;
    this.turns = new SessionTurns(this, socket, () => void events.settled());
    const { wire } = this.turns.reader;
    const crossing = new TableCrossing(this, (shared) => {
      this.shared = shared;
    });
    this.work = new SessionWork(this, crossing);
    this.life = new SessionLife(this, wire, events);
    this.pinned = new PinnedRoute(this);
    this.uploads = new UploadRoute(this);
    this.moving = new Moving(this);
    this.invalidations = new Invalidations(this);
    this.output = new ClientOutput(
      this,
      wire,
      (why) => void this.life.cut(why, true),
      () => {
        this.pinned.resume();
        this.invalidations.settled();
        this.turns.pump();
      },
    );
  }
}
