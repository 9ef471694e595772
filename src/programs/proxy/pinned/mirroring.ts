import type { Clock } from "#kit/base/clock";
import type { ConnectionSettings } from "../upstream/connection-settings.ts";
import type { Pin } from "../upstream/pin.ts";
import type { Replay } from "../upstream/replay.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { ConnectionState } from "./connection-state.ts";
import type { PendingQueue } from "./pending-queue.ts";
import type { PinnedParts } from "./pinned-parts.ts";
import type { MarkerListening } from "./marker-listening.ts";
import { isMarker, SubscriptionMirror } from "./subscription-mirror.ts";
import { onlyRoute } from "../upstream/only-route.ts";

/** The first connection of a subscriber, and what mirroring it needs. */
export interface MirroredConnection {
  readonly clock: Clock;
  held(): boolean;
  /** A command of the proxy itself on the first connection changes nothing for the client: no transaction is open there. */
  isFree(): boolean;
  settings(): ConnectionSettings;
  /** The first connection; undefined while there is none. */
  pin(): Pin | undefined;
  /** What brings a second connection to the state of the first. */
  replay(): Replay;
  /** Whether it listens for markers. */
  readonly listening: MarkerListening;
  push(message: Buffer): void;
}

/** The parts of a pinned session that only itself knows, with those that its session gives. */
export function mirroredConnection(
  session: Pick<PinnedParts, "endpoint" | "identity" | "output">,
  parts: Pick<MirroredConnection, "pin" | "replay" | "listening" | "isFree">,
): MirroredConnection {
  const { endpoint, identity } = session;
  return {
    ...parts,
    clock: endpoint.clock,
    held: () => onlyRoute(endpoint).held,
    settings: () => identity.settings,
    push: (message) => {
      session.output.push(message);
    },
  };
}

/** A subscriber that a change of primary can mirror: a user may have no right to the marker. */
export function canBeMirrored(
  { identity }: Pick<PinnedParts, "identity">,
  { subscriptions }: Pick<ConnectionState, "subscriptions">,
  pending: Pick<PendingQueue, "unanswered" | "has">,
  { isFree, isMarked }: { readonly isFree: boolean; readonly isMarked: boolean },
): boolean {
  if (identity.user !== undefined || subscriptions.size === 0) return false;
  const changes = pending.has("subscription", "tracking", "monitor", "select", "hello", "auth");
  return (isFree && pending.unanswered === 0) || (isMarked && !changes);
}

/** Why the client may have missed messages, now that its engine is gone. */
export function missedMessages(
  { output }: Pick<PinnedParts, "output">,
  { subscriptions, monitoring }: Pick<ConnectionState, "subscriptions" | "monitoring">,
  mirroring: Pick<Mirroring, "isSucceeded">,
): string | undefined {
  // an engine ends a subscriber that does not read its messages: to go on would hide that some were missed
  if (output.congested) return "the client does not read its messages";
  // nor is it known which messages the engine has sent to no one
  const listens = monitoring || subscriptions.size > 0;
  return listens && !mirroring.isSucceeded ? "the engine is gone, and messages may be missing" : undefined;
}

/** The second connection that a subscriber may have during a change of primary. */
export class Mirroring {
  readonly #first: MirroredConnection;
  #mirror: SubscriptionMirror | undefined;
  /** The connection that its client gets messages from, while the session is on its way there. */
  #successor: SubscriptionMirror | undefined;

  constructor(first: MirroredConnection) {
    this.#first = first;
  }

  /** True when a message on the first connection is to be delivered. */
  passes(message: Buffer): boolean {
    if (this.#successor !== undefined) return false;
    return this.#mirror === undefined ? !isMarker(message) : this.#mirror.passes(message);
  }

  /** Subscribes at the primary-to-be as well; resolves when a marker published from now on arrives on both connections. */
  async begin(target: Upstream, marker: string): Promise<SubscriptionMirror> {
    const first = this.#first;
    this.end();
    const mirror = await SubscriptionMirror.open(target, first, marker);
    const pin = first.pin();
    if (pin === undefined || !first.held() || !(first.isFree() || first.listening.isOn)) {
      mirror.end();
      throw new Error("the session has left or began a transaction, or the hold has ended");
    }
    this.#mirror = mirror;
    pin.tainted = true;
    if (await first.listening.start()) return mirror;
    if (this.#mirror === mirror) this.end();
    throw new Error("the engine does not take the marker's channel");
  }

  /** The mirror, to be used from now on, when it is at `upstream` and has seen the marker; undefined otherwise. */
  adopt(upstream: Upstream | undefined): SubscriptionMirror | undefined {
    const mirror = this.#mirror;
    if (mirror?.complete !== true || mirror.upstream !== upstream) return undefined;
    this.#mirror = undefined;
    return mirror;
  }

  /** Lets the client get the messages of the mirror from now on, when it is at `upstream` and has seen the marker. */
  succeed(upstream: Upstream | undefined): void {
    this.#successor ??= this.adopt(upstream);
    this.#successor?.deliver(this.#first.push);
  }

  /** The same while clients are held, where the mirror is: the first connection ends before they go on. */
  succeedAhead(): void {
    if (this.#first.held()) this.succeed(this.#mirror?.upstream);
  }

  /** The client gets the messages of a mirror. */
  get isSucceeded(): boolean {
    return this.#successor !== undefined;
  }

  /** The connection of that mirror, to be used at once; throws when it is gone, or not to this engine. */
  takeSuccessor(upstream: Upstream): Pin {
    const successor = this.#successor;
    this.#successor = undefined;
    if (successor?.upstream === upstream && !successor.pin.closed) return successor.pin;
    successor?.end();
    throw new Error("the connection that listened is gone, or the primary is another one");
  }

  /** Goes on with the first connection alone. */
  end(): void {
    const mirror = this.#mirror;
    this.#mirror = undefined;
    if (mirror === undefined) return;
    if (this.#first.isFree()) this.#first.listening.stop();
    for (const message of mirror.end()) this.#first.push(message);
  }

  /** The session ends. */
  dispose(): void {
    this.#mirror?.end();
    this.#successor?.end();
    this.#mirror = undefined;
    this.#successor = undefined;
  }
}
