import { errorReply } from "../protocol/replies.ts";
import type { Pin } from "../upstream/pin.ts";
import type { Replay } from "../upstream/replay.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { placedIfScan } from "../scan/scan.ts";
import type { PinnedParts } from "./pinned-parts.ts";
import { PUSHING } from "./receiver.ts";
import type { ReceiverOutcome, ReceiverQuestion } from "./receiver.ts";
import { clientSubcommand } from "./tracking-replies.ts";
import { redirectTarget, withRedirect, type TrackingOptions } from "./tracking-options.ts";

/** Sends what is for the state of the connection alone. */
interface StateCommands {
  /** Calls `settled` when it is answered, or never will be. */
  postInternal(request: Buffer, settled: () => void): void;
}

/**
 * CLIENT TRACKING with REDIRECT of one client. The engine sends the invalidations to a connection that the proxy of the other client has for
 * it, so that they arrive wherever that client is; numbers of engine connections are hidden behind those of clients.
 */
export class Redirection {
  readonly #parts: PinnedParts;
  readonly #tracking: TrackingOptions;
  readonly #engine: () => Upstream;
  /** The ids of connections at the present engine, by the numbers of clients. */
  readonly #ids = new Map<number, number>();
  /** The search that has just ended, for the request that is offered again. */
  #found: { readonly target: number; readonly upstream: Upstream; readonly error: Buffer | undefined } | undefined;
  /** Stands for a client that is gone, until the engine knows that too. */
  #placeholder: Pin | undefined;
  /** Since when the proxy of the other client has not answered, as uptime. */
  #failingSince: number | undefined;

  constructor(parts: PinnedParts, tracking: TrackingOptions, engine: () => Upstream) {
    this.#parts = parts;
    this.#tracking = tracking;
    this.#engine = engine;
  }

  /** The engine of this connection. */
  get engine(): Upstream {
    return this.#engine();
  }

  /** Whether this CLIENT TRACKING can be sent: an error reply when it cannot, undefined when that is not known yet. */
  ready(request: Buffer): true | Buffer | undefined {
    const target = redirectTarget(request);
    if (target === undefined) return true;
    const [found, upstream] = [this.#found, this.#engine()];
    this.#found = undefined;
    if (found?.target === target && found.upstream === upstream) return found.error ?? true;
    // the ids for earlier requests are not needed any more
    for (const known of this.#ids.keys()) if (known !== this.#tracking.redirect) this.#ids.delete(known);
    this.#parts.turns.waitFor(
      this.#find({ target, upstream, isMoved: false }).then((outcome) => {
        const error = "missing" in outcome ? notFound(outcome.missing) : undefined;
        this.#found = { target, upstream, error };
      }),
    );
    return undefined;
  }

  /** The request as the engine is to get it. */
  atEngine(request: Buffer): Buffer {
    return withRedirect(request, (target) => String(this.#ids.get(target) ?? NO_CLIENT));
  }

  /** The replay for another engine, with ids in place of the numbers of clients; scans that are queued begin anew there. */
  replay(replay: Replay, upstream: Upstream): Replay {
    const placed = (command: Buffer): Buffer =>
      clientSubcommand(command) === "TRACKING"
        ? this.atEngine(command)
        : placedIfScan(this.#parts.endpoint.scans[0], upstream, command);
    return { ...replay, commands: replay.commands.map(placed) };
  }

  /** The replay for the mirror of a subscriber: redirected tracking begins when the subscriber goes on there. */
  mirrored(replay: Replay): Replay {
    if (this.#tracking.redirect === undefined) return replay;
    const commands = replay.commands.filter((command) => clientSubcommand(command) !== "TRACKING");
    return { commands, replies: replay.replies - (replay.commands.length - commands.length) };
  }

  /** The replay of what a mirror does not have. */
  behindMirror(replay: Replay, upstream: Upstream): Replay {
    const tracking = this.#tracking.redirect === undefined ? [] : this.#tracking.replay();
    const { commands, replies } = replay;
    return this.replay({ commands: [...tracking, ...commands], replies: replies + tracking.length }, upstream);
  }

  /** Lets the engine track again for a subscriber that goes on there over its mirror, as long as the subscriber `isHere`. */
  async trackAgain(upstream: Upstream, isHere: () => boolean, commands: StateCommands): Promise<void> {
    const { clock, log } = this.#parts.endpoint;
    while (isHere() && this.#tracking.redirect !== undefined)
      try {
        await this.prepare(upstream, []);
        if (isHere()) await Promise.all(this.#tracking.replay().map((request) => this.#post(request, commands)));
        return void this.arrived();
      } catch (error) {
        log.debug("a subscriber cannot be tracked for yet", { error });
        await clock.sleep(RETRY_MS);
      }
  }

  /** Finds the clients that this connection redirects to, or is about to, before it goes on at that engine; rejects when that is not known. */
  async prepare(upstream: Upstream, refused: readonly Buffer[]): Promise<void> {
    const { redirect } = this.#tracking;
    const targets = new Set([redirect, ...refused.map(redirectTarget)].filter((target) => target !== undefined));
    this.arrived();
    for (const target of targets) {
      const outcome = await this.#find({ target, upstream, isMoved: true });
      if ("missing" in outcome) this.#fail(outcome.missing);
      else if (outcome.id === 0 && target === redirect) this.#ids.set(target, await this.#standIn(upstream));
    }
    this.#failingSince = undefined;
  }

  /** The engine has the state of this connection, or never will. */
  arrived(): void {
    this.#placeholder?.destroy();
    this.#placeholder = undefined;
  }

  #post(request: Buffer, commands: StateCommands): Promise<void> {
    return new Promise((resolve) => {
      commands.postInternal(this.atEngine(request), () => void resolve());
    });
  }

  async #find(question: ReceiverQuestion): Promise<ReceiverOutcome> {
    const outcome = await this.#parts.invalidations.find(question);
    this.#ids.delete(question.target);
    if ("id" in outcome && outcome.id !== 0) this.#ids.set(question.target, outcome.id);
    return outcome;
  }

  /** Without the other client's proxy it is not known whether that client has keys that are no more valid. */
  #fail(why: string): never {
    const now = this.#parts.endpoint.clock.uptimeMs();
    this.#failingSince ??= now;
    if (now - this.#failingSince > PATIENCE_MS)
      this.#parts.life.cut(`the client of its invalidations cannot be reached: ${why}`);
    throw new Error(why);
  }

  /** An engine connection that ends as soon as it is redirected to: the engine then does what it does when a client is gone. */
  async #standIn(upstream: Upstream): Promise<number> {
    const pin = await upstream.pins.dial(PUSHING);
    this.#placeholder = pin;
    return pin.id;
  }
}

function notFound(why: string): Buffer {
  return errorReply(`ERR store: the client to redirect to cannot be reached, so that it is not known: ${why}`);
}

/** No engine has given this number yet. */
const NO_CLIENT = "9223372036854775807";
/** Proxies learn of a new primary one after another, within moments. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 50;
