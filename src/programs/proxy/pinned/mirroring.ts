import type { Clock } from "#kit/base/clock";
import type { Arg } from "../../../ports/resp/encode.ts";
import type { ConnectionSettings } from "../upstream/connection-settings.ts";
import type { Pin } from "../upstream/pin.ts";
import type { Replay } from "../upstream/replay.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { PinnedParts } from "./pinned-parts.ts";
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
  /** Sends a command of the proxy itself on the first connection. */
  command(args: readonly Arg[], settled: (answer: Buffer | undefined) => void): void;
  push(message: Buffer): void;
}

/** The parts of a pinned session that only itself knows, with those that its session gives. */
export function mirroredConnection(
  session: Pick<PinnedParts, "endpoint" | "identity" | "output">,
  parts: Pick<MirroredConnection, "pin" | "replay" | "command" | "isFree">,
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

/** The second connection that a subscriber may have during a change of primary. */
export class Mirroring {
  readonly #first: MirroredConnection;
  #mirror: SubscriptionMirror | undefined;

  constructor(first: MirroredConnection) {
    this.#first = first;
  }

  /** True when a message on the first connection is to be delivered. */
  passes(message: Buffer): boolean {
    return this.#mirror === undefined ? !isMarker(message) : this.#mirror.passes(message);
  }

  /** Subscribes at the primary-to-be as well; resolves when a marker published from now on arrives on both connections. */
  async begin(target: Upstream, channel: string): Promise<SubscriptionMirror> {
    const first = this.#first;
    this.end();
    const mirror = await SubscriptionMirror.open(target, first, channel);
    const pin = first.pin();
    if (pin === undefined || !first.held() || !first.isFree()) {
      mirror.end();
      throw new Error("the session has left or began a transaction, or the hold has ended");
    }
    this.#mirror = mirror;
    pin.tainted = true;
    const answer = await new Promise<Buffer | undefined>((settled) => {
      first.command(["SUBSCRIBE", channel], settled);
    });
    if (answer !== undefined && answer[0] !== MINUS) return mirror;
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

  /** Goes on with the first connection alone. */
  end(): void {
    const mirror = this.#mirror;
    this.#mirror = undefined;
    if (mirror === undefined) return;
    if (this.#first.pin() !== undefined && this.#first.isFree())
      this.#first.command(["UNSUBSCRIBE", mirror.channel], () => undefined);
    for (const message of mirror.end()) this.#first.push(message);
  }

  /** The session ends. */
  dispose(): void {
    this.#mirror?.end();
    this.#mirror = undefined;
  }
}

const MINUS = 45;
