import type { OutstandingRequest } from "../../../ports/management/proxy-control.ts";
import { noteSent } from "../client/identity.ts";
import { LIMITS } from "../limits/limits.ts";
import type { PinnedParts } from "../pinned/pinned-parts.ts";
import { partsAtShard, type ServingShards } from "../pinned/shard-parts.ts";
import { commandName } from "../protocol/arguments.ts";
import { lastClassified } from "../protocol/commands.ts";
import { classifyFor } from "../protocol/site-commands.ts";
import { anyShard, placeAfter } from "../upstream/only-route.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import { freeRequest, targetAtShards, type UploadTarget } from "./large-request.ts";
import { mayBeMoved } from "./moved-slots.ts";
import type { PartialRequest } from "./partial-request.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";
import { Upload } from "./upload.ts";

/** The parts of a session that its uploads use. */
export interface UploadParts extends Omit<PinnedParts, "turns" | "endpoint"> {
  readonly endpoint: PinnedParts["endpoint"] & Pick<SessionEndpoint, "isSite" | "place">;
  readonly turns: PinnedParts["turns"] & {
    /** Each request goes to a lane as it is. */
    readonly isPlain: boolean;
  };
}

/** The way of a request that is too large to be collected. */
export class UploadRoute {
  /** Present while such a request flows. */
  current: Upload | undefined;
  readonly #parts: UploadParts;
  /** The place of the shard that it goes to. */
  #shard = 0;

  constructor(parts: UploadParts) {
    this.#parts = parts;
  }

  /**
   * Starts an upload with the beginning of a request, unless more of it must be collected first, or all of it, which it must while the session is
   * pinned. `takenOver`: called when the beginning is no more collected.
   */
  begin(head: PartialRequest, takenOver: () => void): void {
    const parts = this.#parts;
    const { endpoint, identity, turns, life } = parts;
    if (!turns.isPlain || !endpoint.mayPin) return;
    const target = this.#targetOf(head);
    if (target === undefined) return;
    // it may be answered without being executed; one that is larger than that is forwarded, wherever it comes
    if (head.bytes <= LIMITS.keptBytes && mayBeMoved(parts, target.shard)) return;
    noteSent(identity, target.request.name, endpoint.clock.uptimeMs());
    this.#shard = target.shard;
    const atShard = partsAtShard(parts, () => this.#shard);
    const { collected } = head;
    head.drop();
    takenOver();
    this.current = new Upload(atShard, target.request, collected, (answer) => {
      this.#answer(answer);
    });
    // there may be no room for it
    if (life.ended) this.drop();
    else this.current.start();
  }

  /** Other shards than those of the former table serve the database from now on; what goes to one that is kept goes on. */
  changeTable(former: ServingShards): void {
    const { current } = this;
    if (current === undefined) return;
    const kept = placeAfter(former.routes, this.#parts.endpoint.routes, this.#shard);
    if (kept !== undefined) {
      this.#shard = kept;
      return;
    }
    const { arrived, name } = current;
    // what is not kept is not sent again
    const target = arrived === undefined ? { shard: 0, request: freeRequest(name) } : this.#targetNow(name, arrived);
    this.#shard = target?.shard ?? 0;
    if (target === undefined) this.#parts.life.cut("a large request that is split by shard has not arrived whole");
    else current.goTo(target.request);
  }

  /** What a move of this primary has to wait for. */
  outstandingAt(primary: PrimaryView): OutstandingRequest | undefined {
    return this.current?.outstandingAt(primary);
  }

  /** The client does not wait for it any more. */
  drop(): void {
    this.current?.drop();
    this.current = undefined;
  }

  #targetOf(head: PartialRequest): UploadTarget | undefined {
    const { endpoint } = this.#parts;
    const name = Buffer.from(commandName(head.collected), "latin1");
    if (classifyFor(endpoint)(name, 0, name.length) !== undefined) return undefined;
    return this.#targetNow(lastClassified(), head.collected);
  }

  #targetNow(name: string, head: Buffer): UploadTarget | undefined {
    const { endpoint } = this.#parts;
    const { table } = endpoint;
    if (table === undefined) return { shard: 0, request: freeRequest(name) };
    return targetAtShards({ name, head, table, any: anyShard(endpoint) });
  }

  #answer(answer: Buffer): void {
    const { endpoint, output, turns } = this.#parts;
    this.current = undefined;
    endpoint.counters.requests++;
    output.reply(answer);
    turns.settled();
    turns.pump();
  }
}
