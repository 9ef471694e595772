import { backoffMs } from "#kit/base/backoff";
import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { NOTHING, union, type VersionVector } from "../../../core/merge/operations/version-vector.ts";
import { lastOf } from "../../../core/merge/operations/origin.ts";
import { EngineSite } from "../../../mechanisms/site/engine-site.ts";
import type { SiteEngine } from "../../../mechanisms/site/operations/connect-site.ts";
import { sliceOf } from "../../../mechanisms/site/saved/slice.ts";
import { isBegun } from "../../../mechanisms/site/transfer/take-all.ts";
import type {
  LinkCertificate,
  LinkedDatabase,
  LinkedDatabaseStatus,
  LinkedSite,
  SiteLinkStatus,
} from "../../../ports/management/link-control.ts";
import type { EnginePlace } from "../../../ports/management/proxy-control.ts";
import { engineCodeOf, type EngineAddress } from "../../../ports/resp/engine-client.ts";
import type { EngineTls } from "../../../ports/resp/engine-tls.ts";
import { faults } from "../faults.ts";
import type { Visitor } from "../transport/listener.ts";
import { answerWhileBeginning, type NotBegun } from "./beginning.ts";
import { askOthers, connectTo, connectWhole } from "./comparing.ts";
import { Comparison } from "./comparison.ts";
import { answerWhileJoining, join } from "./joining.ts";
import { SiteLink } from "./site-link.ts";

export interface ServedDatabaseOptions {
  readonly database: LinkedDatabase;
  readonly primary: EnginePlace;
  readonly own: () => LinkCertificate;
  readonly engineTls: EngineTls;
  readonly clock: Clock;
  readonly log: Log;
}

const MOST_BACKOFF_MS = 2_000;

/** A database whose primary is on this node: the primary as a site, and its links to the others. Begins anew whenever the engine ends. */
export class ServedDatabase {
  readonly #options: ServedDatabaseOptions;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #database: LinkedDatabase;
  #links = new Map<number, SiteLink>();
  #comparisons = new Map<number, Comparison>();
  #local: EngineSite | undefined;
  #round: AbortController | undefined;
  /** The engine has nothing, and gets what other sites have, or waits for them: those that have nothing either are told so meanwhile. */
  #isJoining = false;
  /** What other sites had of this one that was not here: it numbers its operations above that. */
  #outnumberedBy = NOTHING;
  /** Until this site has begun. */
  #beginning: NotBegun | undefined;
  #trouble = "The link has not read the state in the engine yet.";

  constructor(options: ServedDatabaseOptions) {
    this.#options = options;
    this.#database = options.database;
    this.#running = this.#run();
  }

  /** What may change while it runs: how sites are reached, and how many replicas are in sync. */
  update(database: LinkedDatabase): void {
    const hasLostAll = database.awaitsSites && !this.#database.awaitsSites;
    this.#database = database;
    if (hasLostAll) this.#round?.abort();
  }

  /** A connection that site `from` has made. Resolves when it has ended; LINK_NOT_HERE while the primary is not followed. */
  async accept(visitor: Visitor): Promise<void> {
    if (this.#isJoining) {
      answerWhileJoining(visitor, this.#database);
      return;
    }
    const link = this.#links.get(visitor.greeting.from);
    if (link === undefined && visitor.greeting.asksOwn === true && this.#beginning !== undefined)
      return answerWhileBeginning(visitor, this.#database, this.#beginning);
    if (link === undefined)
      throw new Fault(faults.notHere, `The primary of this site is not followed: ${this.#trouble}`);
    await link.accept(visitor);
  }

  status(): LinkedDatabaseStatus {
    const local = this.#local;
    return {
      guid: this.#database.guid,
      engine: local === undefined ? this.#trouble : local.writes.refusal,
      hasJoined: local?.hasJoined === true,
      knownKeys: local?.knownKeys ?? 0,
      keptBytes: local?.kept.bytes ?? 0,
      sites: local === undefined ? [] : [...this.#links].map(([id, link]) => this.#siteStatus(id, link)),
    };
  }

  #siteStatus(id: number, link: SiteLink): SiteLinkStatus {
    const agreement = this.#comparisons.get(id)?.status();
    return agreement === undefined ? link.status() : { ...link.status(), agreement };
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#ending;
    for (let failed = 0; !signal.aborted;) {
      const began = clock.uptimeMs();
      try {
        await this.#follow();
      } catch (error) {
        if (signal.aborted) return;
        this.#trouble = messageOf(error);
        if (engineCodeOf(error) === "LOADING") this.#beginning = "loading";
        log.warn("the primary is not followed any more", { error });
      }
      failed = clock.uptimeMs() - began > MOST_BACKOFF_MS ? 0 : failed + 1;
      // aborted: the loop looks at the signal
      await clock.sleep(backoffMs(failed, 50, MOST_BACKOFF_MS), signal).catch(() => undefined);
    }
  }

  async #follow(): Promise<void> {
    const { own, clock, log } = this.#options;
    const round = new AbortController();
    this.#round = round;
    const signal = AbortSignal.any([this.#ending.signal, round.signal]);
    const { site, sites, keptBytes, appendOnlyFolder } = this.#database;
    const slice = sliceOf(this.#database.slice);
    const engine = this.#engine;
    try {
      this.#isJoining = this.#database.awaitsSites && !(await isBegun({ engine, slice, signal }));
      if (this.#isJoining) await this.#join({ engine, slice, signal });
      const ids = [site, ...sites.map(({ id }) => id)];
      const confirmedBy = (): number => this.#database.confirmedBy;
      const others = () => ({ database: this.#database, own, clock, signal });
      const { local, ended } = await EngineSite.start({
        id: site,
        sites: ids,
        engine,
        slice,
        keptBytes,
        appendOnlyFolder,
        confirmedBy,
        clock,
        log,
        signal,
        connectWhole: () => connectWhole(others()),
        onRead: (kept) => void (this.#beginning = kept),
        askOthers: (asking) => askOthers(others(), asking),
        outnumberedBy: this.#outnumberedBy,
      });
      [this.#local, this.#beginning] = [local, undefined];
      const links = sites.map(({ id }) => this.#linkTo(id, local, signal));
      const comparisons = sites.map(({ id }) => this.#compareWith(id, local, signal));
      await Promise.race([ended, ...[...links, ...comparisons].map((each) => each.run())]);
    } finally {
      round.abort();
      this.#forget();
    }
  }

  /** The engine is not followed any more. */
  #forget(): void {
    this.#local = undefined;
    this.#beginning = undefined;
    this.#links.clear();
    this.#comparisons.clear();
  }

  get #engine(): EngineAddress {
    const { primary, engineTls } = this.#options;
    const { logins } = this.#database;
    return { host: primary.host, port: primary.port, logins, tls: primary.tls === true ? engineTls : undefined };
  }

  async #join(at: SiteEngine): Promise<void> {
    const { own, clock, log } = this.#options;
    const onTake = (): void => void (this.#trouble = "The data of the other sites is on its way.");
    await join({ ...at, database: this.#database, own, clock, log, onTake });
    this.#isJoining = false;
  }

  #compareWith(id: number, local: EngineSite, signal: AbortSignal): Comparison {
    const { own, clock, log } = this.#options;
    const connect = () => connectTo({ database: this.#database, own, clock, signal }, id);
    const others = this.#database.sites.length;
    const comparison = new Comparison({ local, site: id, others, connect, clock, log: log.with({ site: id }), signal });
    this.#comparisons.set(id, comparison);
    return comparison;
  }

  #linkTo(id: number, local: EngineSite, signal: AbortSignal): SiteLink {
    const { own, clock, log } = this.#options;
    const remote = (): LinkedSite => {
      const found = this.#database.sites.find((one) => one.id === id);
      if (found === undefined) throw new Fault(faults.badCommand, `Site ${id} is none of the database any more.`);
      return found;
    };
    // a visitor that this round has let in may be judged while the next one runs
    const round = this.#round;
    const onOutnumbered = (received: VersionVector): void => {
      this.#outnumberedBy = lastOf(this.#database.site, union(this.#outnumberedBy, received));
      round?.abort();
    };
    const endAll = () => Promise.all([...this.#links.values()].map((each) => each.endConnections()));
    const { guid } = this.#database;
    const link = new SiteLink({ guid, local, remote, own, clock, log, signal, onOutnumbered, endAll });
    this.#links.set(id, link);
    return link;
  }
}
