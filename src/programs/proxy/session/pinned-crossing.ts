import { requestArguments } from "../../../ports/resp/command-frame.ts";
import type { OtherShards } from "../pinned/other-shards.ts";
import type { PendingRequest } from "../pinned/pending-request.ts";
import type { Pinned } from "../pinned/pinned.ts";
import type { PinnedRoute } from "../pinned/pinned-route.ts";
import type { PinnedParts } from "../pinned/pinned-parts.ts";
import { keepListening, type KeptListening } from "../pinned/kept-listening.ts";
import { partsAtTable, type ServingShards } from "../pinned/shard-parts.ts";
import { ShardListeners } from "../pinned/shard-listeners.ts";
import { commandName } from "../protocol/arguments.ts";
import { withRemainingTimeout } from "../protocol/blocking-timeout.ts";
import { slotsIn } from "../protocol/crossing.ts";
import { placeAfter } from "../upstream/only-route.ts";
import { lastClassified, subcommandOf } from "../protocol/commands.ts";
import { classifyFor } from "../protocol/site-commands.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import { listenAgain, subscribeAgain } from "./listen-again.ts";
import type { LeftWhole } from "./left-request.ts";
import { PLAIN } from "./resolve-command.ts";
import { isAvailableInside, slotsInside } from "./sharded-transactions.ts";

/** The parts of a session whose connections of their own go to other shards. */
export interface PinnedCrossingParts extends Omit<PinnedParts, "pinned"> {
  readonly endpoint: PinnedParts["endpoint"] & { readonly isSite: boolean };
  readonly pinned: PinnedRoute;
  readonly invalidations: PinnedParts["invalidations"] & { readonly isTarget: boolean };
}

/** The way of the connections that a client has for itself, from the shards of a table to those of the next one. */
export class PinnedCrossing {
  readonly #parts: PinnedCrossingParts;
  readonly #give: (left: readonly LeftWhole[]) => void;
  /** The connection that has not left its engine. */
  #leaving: Pinned | undefined;
  /** Connections to the shards that are to serve. */
  #ahead:
    | { readonly listeners: ShardListeners; readonly next: ServingShards; readonly staying: StayingConnections }
    | undefined;

  /** `give` gets the requests that go on as any of the client. */
  constructor(parts: PinnedCrossingParts, give: (left: readonly LeftWhole[]) => void) {
    this.#parts = parts;
    this.#give = give;
  }

  /** Something is at the engine of a shard before. */
  get isLeaving(): boolean {
    return this.#leaving !== undefined && this.#leaving === this.#parts.pinned.current;
  }

  /**
   * Subscribes at the shards that are to serve as well, so that no message is missed between them; resolves when that is done, or cannot be done
   * now: then it is done when they serve.
   */
  async prepare(next: ServingShards): Promise<void> {
    this.giveUp();
    const kept = this.#listening;
    if (kept === undefined || kept.channels.length === 0) return;
    const listeners = new ShardListeners(partsAtTable(this.#parts, next), true);
    const { pinned, endpoint } = this.#parts;
    const staying = stayingConnections(pinned.listeners, endpoint, next);
    this.#ahead = { listeners, next, staying };
    if (!(await subscribeAgain(listeners, kept, new Set(staying.values()))) && this.#ahead?.listeners === listeners)
      this.giveUp();
  }

  /** Ends what was prepared. */
  giveUp(): void {
    this.#ahead?.listeners.drop();
    this.#ahead = undefined;
  }

  /** Other shards than those of the former table serve the database from now on; a connection to one that is kept stays. */
  begin(former: ServingShards): void {
    const { pinned, identity, invalidations, endpoint, life } = this.#parts;
    if (
      identity.user !== undefined ||
      invalidations.isTarget ||
      pinned.current?.state.tracking.redirect !== undefined
    ) {
      life.cut("as whom it is logged in, or the client of its invalidations, cannot go to other shards");
      return;
    }
    const listened = pinned.listeners;
    pinned.listeners = endpoint.table === undefined ? undefined : new ShardListeners(this.#parts);
    if (listened !== undefined) this.#leaveListeners(listened, former);
    const kept = this.isLeaving ? undefined : placeAfter(former.routes, endpoint.routes, pinned.shard);
    if (kept !== undefined) {
      pinned.shard = kept;
      return;
    }
    this.#leaving = pinned.current;
    pinned.moveTo(0, this.#others);
  }

  /** What came over these connections comes over others from now on, but where a shard is kept. */
  #leaveListeners(listened: ShardListeners, former: ServingShards): void {
    const { identity, endpoint, output } = this.#parts;
    if (listened.state.isUsed) {
      const listening = keepListening(listened.state);
      if (listening.tracking.length > 0 && identity.settings.protocol === 3) output.push(INVALIDATE_ALL);
      this.#listenFrom(listening, listened, stayingConnections(listened, former, endpoint));
    }
    listened.drop();
  }

  get #listening(): KeptListening | undefined {
    const { listeners, current } = this.#parts.pinned;
    if (listeners?.state.isUsed === true) return keepListening(listeners.state);
    if (current === undefined) return undefined;
    const { subscriptions, tracking, monitoring } = current.state;
    return keepListening({ subscriptions, tracking, isMonitoring: monitoring });
  }

  /** Takes what the client is sent unasked from the shards that serve now. */
  #listenFrom(kept: KeptListening, listened?: ShardListeners, staying: StayingConnections = new Map()): void {
    const { pinned, output, life, endpoint, turns } = this.#parts;
    if (output.congested) {
      life.cut("the client does not read its messages");
      return;
    }
    const isMeant = this.#ahead?.next.routes === endpoint.routes && isSame(this.#ahead.staying, staying);
    const ahead = isMeant ? this.#ahead?.listeners : undefined;
    if (ahead === undefined) this.giveUp();
    this.#ahead = undefined;
    const listeners = ahead ?? new ShardListeners(partsAtTable(this.#parts, endpoint));
    pinned.listeners = listeners;
    if (listened !== undefined) listeners.adopt(listened, staying);
    const knowing = new Set(staying.values());
    turns.waitFor(this.#listenAgain(listeners, kept, { isAnew: ahead === undefined, knowing }));
  }

  async #listenAgain(
    listeners: ShardListeners,
    kept: KeptListening,
    { isAnew, knowing }: { readonly isAnew: boolean; readonly knowing: ReadonlySet<number> },
  ): Promise<void> {
    const isTaken =
      (!isAnew || (await subscribeAgain(listeners, kept, knowing))) && (await listenAgain(listeners, kept, knowing));
    const { life, pinned } = this.#parts;
    // when others serve already, it goes on there
    if (!isTaken && !life.ended && pinned.listeners === listeners)
      life.cut("the shards do not take what it listens to");
  }

  get #others(): OtherShards {
    return {
      give: (refused) => {
        this.#give(refused.flatMap((one) => this.#leftOf(one)));
      },
      listen: (kept) => {
        this.#listenFrom(kept);
      },
      place: (requests) => this.#place(requests),
    };
  }

  #leftOf({ kind, request, since, own }: PendingRequest): readonly LeftWhole[] {
    own?.settled(undefined);
    if (kind === "internal") return [];
    const waitedMs = this.#parts.endpoint.clock.uptimeMs() - since;
    return [{ request: kind === "blocking" ? withRemainingTimeout(request, waitedMs) : request }];
  }

  /** Chooses the shard of a transaction; false when its keys are at several, or it does what one shard alone cannot. */
  #place(requests: readonly Buffer[]): boolean {
    const { endpoint, pinned } = this.#parts;
    this.#leaving = undefined;
    if (endpoint.table === undefined) return true;
    const all = requests.map((request) => this.#look(request));
    const [slot, ...others] = new Set([
      ...(pinned.slot === undefined ? [] : [pinned.slot]),
      ...all.flatMap(({ slots }) => slots),
    ]);
    pinned.slot = slot;
    pinned.shard = slot === undefined ? 0 : (endpoint.table[slot] ?? 0);
    return others.length === 0 && all.every(({ isAvailable }) => isAvailable);
  }

  #look(request: Buffer): { readonly slots: readonly number[]; readonly isAvailable: boolean } {
    const bytes = Buffer.from(commandName(request), "latin1");
    const found = classifyFor(this.#parts.endpoint)(bytes, 0, bytes.length);
    const command = found === undefined ? PLAIN : wholeEntry(found, request);
    const name = found === undefined ? lastClassified() : command.name;
    const isAvailable = command.commandClass === "transaction" || isAvailableInside(command, name, request);
    const slots = name === "WATCH" ? slotsIn(name, request) : slotsInside(command, name, request);
    return { slots, isAvailable };
  }
}

/** Connections to shards that are kept: the place of each shard among those that serve, by its place before. */
type StayingConnections = ReadonlyMap<number, number>;

function stayingConnections(
  listened: ShardListeners | undefined,
  before: ServingShards,
  now: ServingShards,
): StayingConnections {
  if (listened === undefined) return new Map();
  const places = before.routes.flatMap((route, at): readonly (readonly [number, number])[] => {
    const kept = placeAfter(before.routes, now.routes, at);
    return kept === undefined || listened.at(route).length === 0 ? [] : [[at, kept]];
  });
  return new Map(places);
}

function isSame(one: StayingConnections, other: StayingConnections): boolean {
  return one.size === other.size && [...one].every(([before, now]) => other.get(before) === now);
}

/** A message of RESP3: no key that the client has cached is valid. */
const INVALIDATE_ALL = Buffer.from(">2\r\n$10\r\ninvalidate\r\n_\r\n");

function wholeEntry(command: CommandEntry, request: Buffer): CommandEntry {
  return command.commandClass === "container" ? subcommandOf(command, requestArguments(request)[1]) : command;
}
