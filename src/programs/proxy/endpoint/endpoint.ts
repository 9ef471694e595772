import { once } from "node:events";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import type { Clock } from "../../../core/base/clock.ts";
import { Fault, messageOf } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import type { Address, EndpointConfig, EndpointStats } from "../../../ports/management/proxy-control.ts";
import type { ArenaPool } from "../upstream/arena.ts";
import { drainSessions } from "./drain.ts";
import type { Drained } from "./drain.ts";
import { faults } from "../faults.ts";
import { Hold } from "../switchover/hold.ts";
import { LIMITS } from "../limits/limits.ts";
import type { SessionHost } from "../session/session-endpoint.ts";
import type { Counters } from "../limits/limits.ts";
import { Lapse } from "../timing/lease-watch.ts";
import type { Lease } from "../timing/lease.ts";
import { replies } from "../protocol/replies.ts";
import { ScanSources } from "../scan/sources.ts";
import { ScriptCache } from "../upstream/script-cache.ts";
import { FormerPassword } from "../client/credentials.ts";
import { MAIN_PLACE, identityOf, isPassword } from "../client/identity.ts";
import { Session } from "../session/session.ts";
import { followSubscribers } from "../pinned/mirror-subscribers.ts";
import { after } from "../timing/timer.ts";
import { isAt, Upstream } from "../upstream/upstream.ts";

/** What an endpoint is made of. */
export interface EndpointContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly arenas: ArenaPool;
  readonly lease: Lease;
}

/** One database endpoint: its clients, the primary that they are served by, and the change from one primary to the next. */
export class Endpoint implements SessionHost {
  readonly clock: Clock;
  readonly log: Log;
  readonly scripts = new ScriptCache();
  readonly scans: ScanSources;
  readonly counters: Counters = { requests: 0, cut: 0, resent: 0, holdsExpired: 0, pins: 0, partialBytes: 0 };
  givenUp = false;
  upstream: Upstream | undefined;
  readonly #arenas: ArenaPool;
  readonly #lease: Lease;
  readonly #lapse: Lapse;
  readonly #sessions = new Set<Session>();
  readonly #former = new FormerPassword();
  #config: EndpointConfig;
  #epoch: number;
  #prepared: { readonly epoch: number; readonly upstream: Upstream } | undefined;
  #hold: Hold | undefined;
  #server: Server | undefined;
  #cancelGiveUp: (() => void) | undefined;
  #nextClient = 1;

  constructor(config: EndpointConfig, context: EndpointContext) {
    this.clock = context.clock;
    this.log = context.log.with({ bdb: config.bdb });
    this.#arenas = context.arenas;
    this.#lease = context.lease;
    this.#config = config;
    this.#epoch = config.epoch;
    this.scans = new ScanSources(
      this.clock,
      (address) => this.#connectTo(address),
      () => this.holdMs,
    );
    this.scans.serve(config.epoch, config.primary);
    this.#lapse = new Lapse(context.lease, this.clock, () => this.holdMs, {
      tooLong: () => {
        this.#giveUpClients();
      },
      over: (wasTooLong) => {
        const { primary } = this.#config;
        if (wasTooLong && primary !== undefined) this.#serveFrom(this.#connectTo(primary));
        this.#upstreamChanged();
      },
    });
    if (config.primary !== undefined) this.#serveFrom(this.#connectTo(config.primary));
    this.#watchPrimary();
  }

  get password(): string {
    return this.#config.password;
  }

  accepts(password: Buffer): boolean {
    return isPassword(password, this.password) || this.#former.accepts(password);
  }

  get holdMs(): number {
    return this.#config.holdMs;
  }

  get held(): boolean {
    return this.#hold !== undefined || this.#lapse.waits;
  }

  /** Takes over a new configuration; PROXY_EPOCH_TOO_LOW when it is older than what is known. */
  configure(config: EndpointConfig): void {
    this.#refuseBelow(config.epoch, this.#epoch);
    if (config.password !== this.password) this.#former.remember(this.password);
    this.#config = config;
    const moved = config.primary !== undefined && !isAt(this.upstream, config.primary);
    if (config.epoch === this.#epoch && !moved) return;
    this.#epoch = config.epoch;
    this.scans.serve(config.epoch, config.primary);
    if (config.primary === undefined) this.#sever();
    else if (moved) this.#goTo(config.primary);
  }

  /** Connects to the primary-to-be and gives it the scripts; PROXY_TARGET_UNREACHABLE when that fails. */
  async prepare(epoch: number, target: Address): Promise<void> {
    this.#refuseBelow(epoch, this.#epoch);
    this.#dropPrepared();
    const upstream = this.#connectTo(target);
    this.#prepared = { epoch, upstream };
    try {
      await upstream.warm(this.upstream?.places ?? [MAIN_PLACE]);
      const alone = [...this.#sessions].filter(({ pinned }) => pinned !== undefined);
      await upstream.stock(alone.map(({ identity }) => identity.place));
    } catch (error) {
      if (this.#prepared?.upstream === upstream) this.#dropPrepared();
      if (error instanceof Fault && error.code === faults.notPrepared.code) throw error;
      const { host, port } = target;
      throw new Fault(
        faults.notPrepared,
        `The engine at ${host}:${port} cannot be used: ${messageOf(error)}`,
        {},
        error,
      );
    }
  }

  /** Stops taking requests; resolves with the milliseconds until none was outstanding. PROXY_NOT_DRAINED resumes at once. */
  async hold(epoch: number, drainMs: number, holdMs: number): Promise<number> {
    this.#refuseBelow(epoch, this.#epoch);
    this.#hold?.end();
    const hold = new Hold(epoch, this.clock, holdMs, () => {
      this.counters.holdsExpired++;
      this.log.warn("hold ended by its own deadline", { epoch, holdMs });
      this.#resume(hold);
    });
    this.#hold = hold;
    this.upstream?.flush();
    for (const session of [...this.#sessions])
      if ((session.upload?.ageMs ?? 0) > LIMITS.uploadMs) session.cut("a request takes too long to wait for");
    const busy = [...this.#sessions].filter((session) => session.busy);
    const drained = await hold.drain(busy, drainMs);
    if (drained !== undefined) {
      const target = this.#prepared?.upstream;
      if (target !== undefined && this.upstream !== undefined)
        await followSubscribers(this.#sessions, this.upstream, target, drainMs, this.log);
      if (this.#hold === hold) return drained;
    }
    const left = busy.filter((session) => session.busy).length;
    this.#resume(hold);
    throw new Fault(
      faults.notDrained,
      `${left} clients still wait for a reply after ${drainMs} ms, or the hold was ended before that.`,
      {
        left,
        drainMs,
      },
    );
  }

  /** Leaves a primary that is cut off: what it says from now on counts for nothing. PROXY_EPOCH_TOO_LOW when it was succeeded. */
  fence(epoch: number): void {
    if (epoch === this.#epoch && this.upstream === undefined) return;
    this.#refuseBelow(epoch, this.#epoch + 1);
    const { primary: _cutOff, ...config } = this.#config;
    this.#epoch = epoch;
    this.#config = { ...config, epoch };
    this.scans.serve(epoch, undefined);
    this.#dropPrepared();
    this.#sever();
    if (this.#hold !== undefined) this.#resume(this.#hold);
  }

  /** Goes on at `target`; resolves with the milliseconds that clients were held. */
  async release(epoch: number, target: Address): Promise<number> {
    const known = epoch === this.#epoch && isAt(this.upstream, target);
    if (!known) this.#refuseBelow(epoch, this.upstream === undefined ? this.#epoch : this.#epoch + 1);
    const hold = this.#hold;
    this.#epoch = epoch;
    this.#config = { ...this.#config, epoch, primary: target };
    if (!known) this.#goTo(target);
    this.scans.serve(epoch, target);
    await this.#giveScripts();
    if (hold !== undefined) this.#resume(hold);
    return hold?.ageMs ?? 0;
  }

  /** Goes on at the old primary and forgets the one that was prepared. */
  abort(epoch: number): void {
    this.#refuseBelow(epoch, this.#hold?.epoch ?? this.#epoch);
    this.#dropPrepared();
    if (this.#hold !== undefined) this.#resume(this.#hold);
  }

  /** Takes new clients. PROXY_CANNOT_LISTEN when the address is taken or not of this machine. */
  async listen(): Promise<void> {
    if (this.#server !== undefined) return;
    const { host, port } = this.#config.listen;
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#accept(socket);
    });
    this.#server = server;
    try {
      server.listen({ host, port, backlog: 4096 });
      await once(server, "listening");
    } catch (error) {
      this.#server = undefined;
      throw new Fault(
        faults.cannotListen,
        `Cannot listen at ${host}:${port}: ${messageOf(error)}`,
        { host, port },
        error,
      );
    }
  }

  /** Takes no new clients. */
  unlisten(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  /** Closes every client at a boundary between requests; those that have none by the deadline count as remaining. */
  async drain(deadlineMs: number): Promise<Drained> {
    return drainSessions(this.#sessions, deadlineMs, this.clock, () => {
      this.unlisten();
    });
  }

  /** Ends it all at once. */
  close(): void {
    this.unlisten();
    this.#hold?.end();
    this.#hold = undefined;
    this.#dropPrepared();
    for (const session of [...this.#sessions]) session.destroy();
    const { upstream } = this;
    // what it tells while it ends is of no interest any more
    this.upstream = undefined;
    upstream?.destroy();
    this.scans.close();
    this.#lapse.stop();
    this.#cancelGiveUp?.();
  }

  settled(session: Session): void {
    this.#hold?.settled(session);
  }

  ended(session: Session): void {
    this.#sessions.delete(session);
    this.#hold?.settled(session);
  }

  get stats(): EndpointStats {
    const { requests, cut, holdsExpired, resent } = this.counters;
    return {
      ...{ bdb: this.#config.bdb, epoch: this.#epoch, listening: this.#server?.listening ?? false, held: this.held },
      ...{ clients: this.#sessions.size, inFlight: this.upstream?.inFlight ?? 0, requests, cut, holdsExpired, resent },
    };
  }

  #refuseBelow(epoch: number, least: number): void {
    if (epoch >= least) return;
    throw new Fault(
      faults.epochTooLow,
      `Database ${this.#config.bdb} is at epoch ${this.#epoch}; epoch ${epoch} comes too late.`,
      { bdb: this.#config.bdb, known: this.#epoch, given: epoch },
    );
  }

  #connectTo(address: Address): Upstream {
    const upstream: Upstream = new Upstream(address, {
      clock: this.clock,
      log: this.log,
      arenas: this.#arenas,
      scripts: this.scripts,
      lease: this.#lease,
      password: () => this.#config.password,
      changed: () => {
        if (upstream === this.upstream) this.#upstreamChanged();
      },
    });
    return upstream;
  }

  #serveFrom(upstream: Upstream): void {
    if (this.#lapse.tooLong) {
      upstream.destroy();
      return;
    }
    this.upstream = upstream;
    upstream.choose(MAIN_PLACE);
  }

  #goTo(target: Address): void {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared !== undefined && !isAt(prepared.upstream, target)) prepared.upstream.destroy();
    this.#leaveUpstream();
    this.#serveFrom(
      prepared !== undefined && isAt(prepared.upstream, target) ? prepared.upstream : this.#connectTo(target),
    );
    this.#upstreamChanged();
  }

  /** While the lease was out, the primary may have been succeeded without a switchover: then its last words are no truth. */
  #leaveUpstream(): void {
    if (this.#lease.lapsed) {
      this.#sever();
      return;
    }
    this.upstream?.retire(LAST_WORDS_MS);
    this.upstream = undefined;
    this.#watchPrimary();
  }

  #sever(): void {
    const { upstream } = this;
    this.upstream = undefined;
    upstream?.sever();
    this.#watchPrimary();
  }

  #giveUpClients(): void {
    this.log.warn("the lease of this node ran out for too long: clients are told that there is no primary");
    this.#sever();
    this.givenUp = true;
    this.#upstreamChanged();
  }

  #upstreamChanged(): void {
    this.#watchPrimary();
    if (this.held) return;
    if (this.upstream?.reachable === false) this.upstream.choose(MAIN_PLACE);
    // those that only have to go on do not wait for those that must be moved
    const { plain = [], pinned = [] } = Object.groupBy(this.#sessions, (session) =>
      session.pinned === undefined ? "plain" : "pinned",
    );
    for (const session of [...plain, ...pinned]) session.upstreamChanged();
  }

  /** Without a primary for longer than `holdMs`, clients are told so. */
  #watchPrimary(): void {
    if (this.upstream?.reachable === true) {
      this.givenUp = false;
      this.#cancelGiveUp?.();
      this.#cancelGiveUp = undefined;
    } else
      this.#cancelGiveUp ??= after(this.clock, this.holdMs, () => {
        this.givenUp = true;
        this.#upstreamChanged();
      });
  }

  async #giveScripts(): Promise<void> {
    try {
      await this.upstream?.giveScripts();
    } catch (error) {
      this.log.warn("scripts could not be loaded into the new primary", { error });
    }
  }

  #resume(hold: Hold): void {
    hold.end();
    if (this.#hold !== hold) return;
    this.#hold = undefined;
    this.#upstreamChanged();
  }

  #dropPrepared(): void {
    this.#prepared?.upstream.destroy();
    this.#prepared = undefined;
  }

  #accept(socket: Socket): void {
    if (this.#sessions.size >= LIMITS.clients) {
      socket.on("error", () => undefined); // it is ended anyway
      socket.end(replies.tooManyClients);
      return;
    }
    const identity = identityOf(socket, this.#nextClient++, this.password === "");
    this.#sessions.add(new Session(socket, this, identity));
  }
}

/**
 * A primary that was left in good order refuses what is still in flight at once. One that says nothing is dead or stands
 * still, and what it might acknowledge after it wakes up would be lost.
 */
const LAST_WORDS_MS = 2_000;
