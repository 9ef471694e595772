import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import type {
  LinkCertificate,
  LinkCommand,
  LinkedDatabase,
  LinkedDatabaseStatus,
} from "../../../ports/management/link-control.ts";
import { slotsText } from "../../../core/slots/shard-slots.ts";
import { EngineTls } from "../../../ports/resp/engine-tls.ts";
import { faults } from "../faults.ts";
import { LinkListener, type Visitor } from "../transport/listener.ts";
import { relay } from "../transport/relay.ts";
import { checkPeer } from "../transport/trust.ts";
import { ServedDatabase } from "./served-database.ts";

export interface LinkContext {
  readonly clock: Clock;
  readonly log: Log;
}

/** All that the link of one node serves. */
export class Link {
  readonly #context: LinkContext;
  readonly #listener: LinkListener;
  readonly #engineTls = new EngineTls();
  readonly #ending = new AbortController();
  readonly #served = new Map<string, { readonly served: ServedDatabase; readonly identity: string }>();
  #databases = new Map<string, LinkedDatabase>();
  #certificate: LinkCertificate | undefined;

  constructor(context: LinkContext) {
    this.#context = context;
    this.#listener = new LinkListener(
      {
        check: (visitor) => {
          this.#check(visitor);
        },
        visit: (visitor) => this.#visit(visitor),
      },
      context,
    );
  }

  /** Brings the link to exactly these databases. Idempotent. */
  async configure({ listen, certificate, engineCertificate, databases }: Configure): Promise<void> {
    this.#certificate = certificate;
    if (engineCertificate !== undefined) this.#engineTls.use(engineCertificate);
    this.#databases = new Map(databases.map((database) => [database.guid, database]));
    await this.#listener.listen(listen, certificate);
    for (const [guid, { identity }] of this.#served) {
      const wanted = this.#databases.get(guid);
      if (wanted === undefined || identityOf(wanted) !== identity) await this.#stop(guid);
    }
    for (const database of databases) this.#serve(database);
  }

  status(): readonly LinkedDatabaseStatus[] {
    return [...this.#served.values()].map(({ served }) => served.status());
  }

  async close(): Promise<void> {
    this.#listener.close();
    this.#ending.abort();
    await Promise.all([...this.#served.keys()].map((guid) => this.#stop(guid)));
  }

  #serve(database: LinkedDatabase): void {
    const known = this.#served.get(database.guid);
    if (known !== undefined) {
      known.served.update(database);
      return;
    }
    const { primary } = database;
    if (primary === undefined) return;
    const { clock, log } = this.#context;
    const served = new ServedDatabase({
      database,
      primary,
      own: () => this.#own(),
      engineTls: this.#engineTls,
      clock,
      log: log.with({ bdb: database.bdb, ...slotsIn(database) }),
    });
    this.#served.set(database.guid, { served, identity: identityOf(database) });
  }

  async #stop(guid: string): Promise<void> {
    const known = this.#served.get(guid);
    this.#served.delete(guid);
    await known?.served.stop();
  }

  #own(): LinkCertificate {
    if (this.#certificate === undefined) throw new Fault(faults.badCommand, "The link has no certificate yet.");
    return this.#certificate;
  }

  /** The database that the visitor is about, once its certificate is that of the site which it says it is. */
  #check(visitor: Visitor): LinkedDatabase {
    const { guid, from, to, relayed } = visitor.greeting;
    const database = this.#databases.get(guid);
    const remote = database?.sites.find(({ id }) => id === from);
    // the answer to a caller that is not known yet does not depend on what there is
    if (database === undefined || remote === undefined || database.site !== to)
      throw new Fault(faults.refused, `This cluster does not know site ${from} of the database ${guid}.`);
    checkPeer(visitor.connection.socket, relayed === true ? this.#own() : remote, this.#context.clock.now().getTime());
    return database;
  }

  async #visit(visitor: Visitor): Promise<void> {
    const { guid, relayed } = visitor.greeting;
    const database = this.#check(visitor);
    const known = this.#served.get(guid);
    if (known !== undefined) await known.served.accept(visitor);
    else if (database.relay !== undefined && relayed !== true)
      await relay(visitor, database.relay, this.#own(), this.#ending.signal);
    else throw new Fault(faults.notHere, "This node does not have the primary of the database.");
  }
}

type Configure = Extract<LinkCommand, { readonly op: "configure" }>;

/** What tells the lines of one slice from those of others. */
function slotsIn({ slice }: LinkedDatabase): { readonly slots?: string } {
  return slice === undefined ? {} : { slots: slotsText([slice.slots]) };
}

/** A database that differs in this is followed anew. */
function identityOf({ primary, slice, appendOnlyFolder, site, sites, logins }: LinkedDatabase): string {
  return JSON.stringify([primary, slice, appendOnlyFolder, site, sites.map(({ id }) => id), logins]);
}
