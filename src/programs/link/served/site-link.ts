import type { TLSSocket } from "node:tls";
import { backoffMs } from "#kit/base/backoff";
import type { Clock } from "#kit/base/clock";
import { Fault, isFault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { faults as mergeFaults } from "../../../core/merge/faults.ts";
import { requireFew } from "../../../core/merge/operations/few-origins.ts";
import { requireNear } from "../../../core/merge/operations/near-time.ts";
import { isOutnumbered, lastOf, ofSite, siteOf } from "../../../core/merge/operations/origin.ts";
import {
  NOTHING,
  coversAll,
  countMissing,
  originsOf,
  seqOf,
  type VersionVector,
} from "../../../core/merge/operations/version-vector.ts";
import type { GivenKeys } from "../../../mechanisms/site/state/give-keys.ts";
import type { EngineSite } from "../../../mechanisms/site/engine-site.ts";
import type { LinkCertificate, LinkedSite, LinkState, SiteLinkStatus } from "../../../ports/management/link-control.ts";
import { faults } from "../faults.ts";
import { Delay } from "./delay.ts";
import type { LinkConnection } from "../transport/connection.ts";
import { answerKeys } from "../transport/compared-frames.ts";
import { answerGreeting, greet, type Introduction } from "../transport/greet.ts";
import { readTransfer, unexpectedFrame, type Greeting, type StatementMessage } from "../transport/messages.ts";
import { runSession } from "../transport/session.ts";
import { sendTransfer } from "../transport/transfer-frames.ts";
import type { Visitor } from "../transport/listener.ts";

export interface SiteLinkOptions {
  readonly guid: string;
  readonly local: EngineSite;
  /** As it is known now; it changes while the link runs. */
  readonly remote: () => LinkedSite;
  readonly own: () => LinkCertificate;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The other site has what is not here of the own operations: this site has to begin anew above that. */
  readonly onOutnumbered: (received: VersionVector) => void;
  /** Ends the connections to all other sites: see `SiteLink.endConnections`. */
  readonly endAll: () => Promise<unknown>;
}

/** Of two sites the one with the lower number connects; the other one connects only after this long without a connection, in milliseconds. */
const PATIENCE_MS = 3_000;
const MOST_BACKOFF_MS = 1_000;
/** What a site has written before it lost its power, and what others pass on of that, counts no more. */
const ENDED = "A site asks for its own operations: nothing may come any more over a connection of before.";
const BEFORE = "What was written there before the connection is on its way.";

/** The link to one other site: one connection at a time, whichever end made it. */
export class SiteLink {
  readonly #options: SiteLinkOptions;
  readonly #site: number;
  #session: Session | undefined;
  #state: LinkState = "down";
  #since: string;
  #cause = "No connection has been made yet.";
  /** What the other site had when the connection was made: until that is here, this one is behind. */
  #begin = NOTHING;
  #theirs = NOTHING;
  /** The other site has captured all that it holds, as it said last. */
  #isTheirsWhole = true;
  /** How late the writes of the other site arrive here, and those of this site there. */
  readonly #delays = { here: new Delay(), there: new Delay() };
  #bytes = { received: 0, sent: 0 };
  /** How the other site numbered its operations when it had lost some of these. */
  #forgetful: number | undefined;
  /** What was here when it last greeted with less of its own: a greeting that was under way says less than has come over another connection. */
  #heldThen = NOTHING;
  /** Connections over which the other site gets all data. */
  #giving = 0;
  /** Aborted when what was connected before counts no more, and with the signal. */
  #era = new AbortController();
  /** Of which something may still be taken. */
  readonly #sessions = new Set<Session>();

  constructor(options: SiteLinkOptions) {
    this.#options = options;
    this.#site = options.remote().id;
    this.#since = options.clock.now().toISOString();
    options.signal.addEventListener("abort", () => this.#era.abort(), { once: true });
  }

  /** Connects again and again, until the signal. */
  async run(): Promise<void> {
    const { clock, local, signal } = this.#options;
    const isFirst = local.id < this.#site;
    for (let failed = 0; !signal.aborted;) {
      const wait =
        this.#isConnected || (!isFirst && failed === 0) ? PATIENCE_MS : backoffMs(failed - 1, 100, MOST_BACKOFF_MS);
      const { signal: era } = this.#era;
      await clock.sleep(wait, era).catch(() => undefined); // aborted: the loop looks at the signal
      if (era.aborted) await this.#session?.over.promise;
      if (this.#isConnected || signal.aborted) continue;
      failed = (await this.#connect()) ? 0 : failed + 1;
    }
  }

  /** The other site is connected, or gets all data from here and does not answer before. */
  get #isConnected(): boolean {
    return this.#session !== undefined || this.#giving > 0;
  }

  /** A connection that the other site has made, and that is known to be its own. Resolves when it has ended. */
  async accept(visitor: Visitor): Promise<void> {
    const { connection, greeting } = visitor;
    const session = this.#sessionOver(connection, false);
    const converses = greeting.joining !== true && greeting.comparing !== true;
    if (converses) this.#requireKept(greeting);
    if (converses) this.#requireTaken(greeting);
    // one that was answered and has not begun anew, as of releases before 0.5.0, would take another answer for a success and dial again at once
    if (converses && greeting.origin === this.#forgetful) throw this.#forgot();
    await answerGreeting(visitor, this.#introduction());
    if (converses) this.#requireRemembered(greeting, this.#heldThen);
    if (greeting.comparing === true) await answerKeys(connection, this.#keys(), greeting);
    else if (greeting.joining === true) await this.#give(connection);
    else await this.#converse(session, greeting);
  }

  /**
   * A site that asks for its own operations has begun anew: nothing of before may come when it has been answered, from itself nor from one that has passed it
   * on and has lost its power since.
   */
  #keys(): GivenKeys {
    const { local, signal, endAll } = this.#options;
    const keys = local.keys();
    const operationsOf = async (site: number): Promise<readonly Uint8Array[]> => {
      await endAll();
      if (signal.aborted) throw new Fault(faults.notHere, "The primary of this site is not followed any more.");
      return keys.operationsOf(site);
    };
    return { ...keys, operationsOf };
  }

  /** Ends the connection, and one that is being made; resolves when nothing more of it is taken. Another one is made at once. */
  async endConnections(): Promise<void> {
    const era = this.#era;
    if (!this.#options.signal.aborted) this.#era = new AbortController();
    era.abort();
    this.#session?.connection.destroy();
    await Promise.all([...this.#sessions].map(({ over }) => over.promise));
  }

  #sessionOver(connection: LinkConnection, isOwn: boolean): Session {
    return { connection, isOwn, era: this.#era.signal, over: Promise.withResolvers<void>() };
  }

  status(): SiteLinkStatus {
    const { local } = this.#options;
    this.#look();
    const { received, sent } = this.#total();
    return {
      site: this.#site,
      state: this.#state,
      since: this.#since,
      cause: this.#cause,
      lagMs: local.progress.lagMs(this.#site),
      ...this.#behind(),
      unconfirmed: countMissing(ofSite(local.id, local.numbered), this.#theirs),
      receivedBytes: received,
      sentBytes: sent,
    };
  }

  /** What was missing may be here by now. */
  #look(): void {
    if (this.#state !== "syncing" || this.#session === undefined) return;
    const missing = this.#missing();
    this.#enter(missing === "" ? "up" : "syncing", missing);
  }

  #missing(): string {
    const { local } = this.#options;
    if (!coversAll(local.stated(), ofSite(this.#site, this.#begin))) return BEFORE;
    if (!local.isWhole) return "This site still looks for what its clients did before its stream began.";
    return this.#isTheirsWhole ? "" : "It still looks for what its clients did before its stream began.";
  }

  /** How long each end has gone without what the other one has. */
  #behind(): Pick<SiteLinkStatus, "behindMs" | "unconfirmedMs"> {
    const { local, clock } = this.#options;
    const now = clock.uptimeMs();
    const behindMs = this.#delays.here.look(ofSite(this.#site, this.#theirs), local.stated(), now);
    const unconfirmedMs = this.#delays.there.look(ofSite(local.id, local.numbered), this.#theirs, now);
    return {
      ...(behindMs === undefined ? {} : { behindMs }),
      ...(unconfirmedMs === undefined ? {} : { unconfirmedMs }),
    };
  }

  /** True when it has greeted, and sends what is taken. */
  async #connect(): Promise<boolean> {
    const { own, remote, signal, log } = this.#options;
    const other = remote();
    const held = this.#options.local.numbered;
    const { signal: era } = this.#era;
    try {
      const { connection, greeting } = await greet(other, own(), this.#introduction(), signal);
      try {
        this.#requireKept(greeting);
        this.#requireTaken(greeting);
        this.#requireRemembered(greeting, held);
        return await this.#converse({ ...this.#sessionOver(connection, true), era }, greeting);
      } finally {
        connection.destroy();
      }
    } catch (error) {
      if (signal.aborted || this.#isConnected) return false;
      if (this.#cause !== messageOf(error)) log.warn("another site cannot be reached", { site: other.name, error });
      this.#enter("down", messageOf(error));
      return false;
    }
  }

  #introduction(): Introduction {
    const { guid, local, clock } = this.#options;
    return {
      guid,
      from: local.id,
      to: this.#site,
      received: local.numbered,
      origin: local.origin,
      time: Math.max(clock.now().getTime(), local.progress.time),
      ...(local.isWhole ? {} : { incomplete: true }),
    };
  }

  /** What a site lacks that was added later, or has lost its data, is not sent in bits: it would never be complete. */
  #requireKept({ received }: Greeting): void {
    if (this.#options.local.suffices(received)) return;
    throw this.#lacks("what the other sites no longer keep: it was added to a database with data, or has lost its own");
  }

  /** What it sends would be refused otherwise. A link of an older release does not say its time: its operations show it. */
  #requireTaken({ time, origin }: Greeting): void {
    const { clock, local } = this.#options;
    try {
      requireFew([origin], originsOf(local.numbered), this.#site);
      if (time !== undefined) requireNear({ wall: time, site: this.#site }, clock.now().getTime());
    } catch (error) {
      // where the other one dials, this site would say nothing of it
      if (!this.#isConnected) this.#enter("down", messageOf(error));
      throw error;
    }
  }

  /**
   * A site that knows less of its own operations than others do has lost them, and begins anew: it would give their numbers again. A site that
   * does not begin anew is refused for ever, once it has less than was `held` here before it greeted.
   */
  #requireRemembered({ received, origin }: Greeting, held: VersionVector): void {
    const { local, onOutnumbered } = this.#options;
    if (siteOf(origin) !== this.#site)
      throw new Fault(faults.malformed, `The other site numbers its operations as site ${siteOf(origin)} does.`);
    const own = { origin: local.origin, seq: seqOf(local.numbered, local.origin) };
    if (isOutnumbered(own, [received])) {
      onOutnumbered(lastOf(local.id, received));
      throw new Fault(faults.outnumbered, "The other site has operations of this one that this one has lost.");
    }
    const theirs = { origin, seq: seqOf(received, origin) };
    if (isOutnumbered(theirs, [held])) this.#forgetful = origin;
    if (this.#forgetful === origin) throw this.#forgot();
    if (!isOutnumbered(theirs, [local.numbered])) return;
    this.#heldThen = local.numbered;
    throw new Fault(
      faults.outnumbered,
      "The other site has greeted with fewer operations of its own than have come since.",
    );
  }

  /** Refuses it for good, and says so also where this site does not reach it. */
  #forgot(): Fault {
    const fault = this.#lacks("operations of its own that others have, and does not begin anew");
    if (!this.#isConnected) this.#enter("down", fault.message);
    return fault;
  }

  #lacks(what: string): Fault {
    const { name } = this.#options.remote();
    const remedy = "What its clients write stays there alone: take it out of the database, and put it in again.";
    return new Fault(faults.notKept, `Site ${this.#site} (${name}) lacks ${what}. ${remedy}`);
  }

  /**
   * Until the connection ends; one that the lower number has made is preferred, and a newer one to an older. False when the other site sends what is not
   * taken: it would send that again at once.
   */
  async #converse(session: Session, { received, origin, incomplete }: Greeting): Promise<boolean> {
    const { local, clock, log, remote, signal } = this.#options;
    if (this.#isInVain(session)) {
      session.connection.destroy();
      return !session.era.aborted;
    }
    this.#session?.connection.destroy();
    this.#session = session;
    const end = (): void => void session.connection.destroy();
    signal.addEventListener("abort", end, { once: true });
    this.#begin = received;
    this.#isTheirsWhole = incomplete !== true;
    this.#enter("syncing", BEFORE);
    log.info("another site is connected", { site: remote().name, connectedFromHere: session.isOwn });
    local.participants.begins(origin);
    const onStatement = (said: StatementMessage): void => this.#stated(origin, said);
    let why = "The other site has ended the connection.";
    let isTaken = true;
    this.#sessions.add(session);
    try {
      await runSession({ ...session, local, remote: { origin, received }, clock, log, onStatement });
    } catch (error) {
      why = messageOf(error);
      isTaken = !isFault(error, mergeFaults.clockAhead) && !isFault(error, mergeFaults.tooOften);
    } finally {
      signal.removeEventListener("abort", end);
      session.over.resolve();
      this.#sessions.delete(session);
      this.#bytes = sumOf(this.#bytes, session.connection.socket);
      if (session.era.aborted && !signal.aborted) why = ENDED;
      if (this.#session === session) {
        this.#session = undefined;
        this.#enter("down", why);
        log.warn("the connection to another site has ended", { site: remote().name, why });
      }
    }
    return isTaken;
  }

  /** What was connected before counts no more, or one that the lower number has made is there. */
  #isInVain(session: Session): boolean {
    const isLower = (one: Session): boolean => one.isOwn === this.#options.local.id < this.#site;
    return session.era.aborted || (this.#session !== undefined && isLower(this.#session) && !isLower(session));
  }

  #stated(origin: number, { received, site, incomplete }: StatementMessage): void {
    const { local } = this.#options;
    this.#theirs = received;
    this.#isTheirsWhole = incomplete !== true;
    local.participants.states(origin, site);
    local.peerStated(origin, received);
    this.#behind();
  }

  /** The other site has nothing: it has been told what is known of it, and may ask for all that is here. */
  async #give(connection: LinkConnection): Promise<void> {
    const { local, log, remote } = this.#options;
    const asked = await connection.frames.next();
    if (asked.done === true) return;
    const origin = readTransfer(asked.value);
    if (siteOf(origin) !== this.#site) throw unexpectedFrame(asked.value);
    log.info("another site gets all data from here", { site: remote().name });
    this.#giving += 1;
    this.#enter("syncing", "It gets all data from this site.");
    try {
      await sendTransfer(connection, await local.give(origin));
    } finally {
      this.#giving -= 1;
      if (this.#session === undefined)
        this.#enter("down", "It has got data from this site, and has not connected since.");
    }
  }

  #enter(state: LinkState, cause: string): void {
    this.#cause = cause;
    if (state === this.#state) return;
    this.#state = state;
    this.#since = this.#options.clock.now().toISOString();
  }

  #total(): { readonly received: number; readonly sent: number } {
    return this.#session === undefined ? this.#bytes : sumOf(this.#bytes, this.#session.connection.socket);
  }
}

interface Session {
  readonly connection: LinkConnection;
  /** Made from here. */
  readonly isOwn: boolean;
  /** Aborted: it does not begin, or ends. */
  readonly era: AbortSignal;
  /** Nothing more of it is taken. */
  readonly over: PromiseWithResolvers<void>;
}

function sumOf(bytes: { readonly received: number; readonly sent: number }, { bytesRead, bytesWritten }: TLSSocket) {
  return { received: bytes.received + bytesRead, sent: bytes.sent + bytesWritten };
}
