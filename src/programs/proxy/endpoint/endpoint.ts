import type { Socket } from "node:net";
import { Fault, isFault } from "#kit/base/fault";
import { limitedRate } from "#kit/base/limited-rate";
import type { TlsMode } from "../../../core/api/settings/database-settings.ts";
import type { Address, EndpointConfig, EndpointStats } from "../../../ports/management/proxy-control.ts";
import { clientId, clientIdentity } from "../client/identity.ts";
import type { ConnectionEnds } from "../client/vanished-clients.ts";
import { IDLE_BYTES, type ConnectionHolder } from "../limits/connection-budget.ts";
import { workerClientLimit } from "../limits/client-limit.ts";
import { faults } from "../faults.ts";
import { Session } from "../session/session.ts";
import type { ShardRoute } from "../switchover/shard-route.ts";
import { END_STEPS } from "../timing/in-turns.ts";
import { anyRoute } from "../upstream/only-route.ts";
import { drainSessions } from "./drain.ts";
import type { DrainResult } from "./drain.ts";
import { EndpointParts, type EndpointContext } from "./endpoint-parts.ts";
import { endpointMachine } from "./endpoint-states.ts";
import { Guests } from "./guests.ts";
import { EndpointListener } from "./listener.ts";
import { EndpointShards } from "./shard-routes.ts";
import { nextShards } from "./served-shards.ts";
import { SlotNotices } from "./slot-notices.ts";
import { TableChange } from "./table-change.ts";

/** How often a full proxy says so, in milliseconds. */
const FULL_SAID_MS = 10_000;

/** One database endpoint: it accepts clients and serves them from the primary of the database. */
export class Endpoint implements ConnectionHolder {
  /** What its sessions work with. */
  readonly parts: EndpointParts;
  /** The change to other shards. */
  readonly table: TableChange;
  /** Sessions of a former mode of TLS; each ends at a boundary between requests. */
  readonly #leaving = new Set<Session>();
  readonly #machine = endpointMachine();
  readonly #listener: EndpointListener;
  readonly #guests: Guests;
  readonly #context: EndpointContext;
  readonly #notices: SlotNotices;
  #nextClient = 1;

  /** At the end the endpoint takes its place among the others. PROXY_SLOT_TABLE when shards and slots do not fit. */
  constructor(config: EndpointConfig, context: EndpointContext) {
    this.#context = context;
    const served = new EndpointShards();
    this.parts = new EndpointParts(config, context, served, () => context.connections.mayOpen(this));
    this.table = new TableChange(this.parts, served);
    this.#notices = new SlotNotices(this.parts);
    this.#guests = new Guests(context.clock, () => anyRoute(this.parts));
    this.#listener = new EndpointListener(context, this.#roomCheck(), (socket) => void this.#accept(socket));
    this.#useCertificate();
    context.connections.join(this);
  }

  /** Takes over a new configuration, or nothing of it: PROXY_EPOCH_TOO_LOW when it is older than what is known, PROXY_SLOT_TABLE. */
  configure(config: EndpointConfig): void {
    const next = nextShards(config, this.parts.config, this.parts.routes);
    this.parts.credentials.replace(config);
    const before = this.parts.config.settings.tlsMode;
    this.table.configure(config, next);
    this.#useCertificate();
    if (endsClients(before, config.settings.tlsMode)) this.#endSessions();
  }

  /** Says to clients of a cluster which slots another node serves now. */
  noticeSlots(): void {
    this.#notices.look();
  }

  /** The way to the primary of a shard, of the first one without an id. PROXY_UNKNOWN_SHARD when it has none of that id. */
  routeOf(shard: number | undefined): ShardRoute {
    const { routes, config } = this.parts;
    const route = shard === undefined ? routes[0] : routes.find(({ id }) => id === shard);
    if (route !== undefined) return route;
    const { bdb } = config;
    throw new Fault(faults.unknownShard, `This proxy serves no shard ${shard} of database ${bdb}.`, { bdb, shard });
  }

  /** Accepts clients, unless another worker does alone. PROXY_CANNOT_LISTEN when the address is in use or not of this machine. */
  async listen(): Promise<void> {
    this.#machine.apply("serve");
    if (this.#machine.state !== "serving") return;
    if (workerClientLimit(this.parts.config, this.#context.worker) > 0) await this.#listen();
    else this.#listener.close();
  }

  /** Where clients of a cluster cannot connect, all others can. */
  async #listen(): Promise<void> {
    try {
      await this.#listener.listen(portsOf(this.parts.config));
    } catch (error) {
      if (!isFault(error, faults.cannotListen) || !this.#listener.listening) throw error;
      this.parts.log.error("clients of a cluster cannot connect", { error });
    }
  }

  /** Closes every client at a boundary between requests; those that are still connected at the deadline remain. `listen` ends it. */
  async drain(deadlineMs: number): Promise<DrainResult> {
    this.#machine.apply("drain");
    const drained = await drainSessions(this.parts.clients, deadlineMs, this.parts.clock, {
      stopListening: () => {
        this.#listener.close();
      },
      isInMaps: this.#listener.listening && isInMaps(this.parts.config),
      goesOn: () => this.#machine.state === "draining",
    });
    // clients that are not through the handshake by now connect elsewhere
    if (this.#machine.apply("end-drain")) this.#listener.endHandshakes();
    return drained;
  }

  /** Ends the connections of clients that have vanished, a few at a time: those of thousands would keep all others waiting. */
  cutVanished(hasVanished: (client: ConnectionEnds) => boolean): Promise<void> {
    return this.parts.inTurns.each(this.parts.clients, (client) => {
      if (!hasVanished(client.identity)) return 1;
      client.life.cut("the client has vanished: it acknowledges nothing", true);
      return END_STEPS;
    });
  }

  /** Ends everything at once. */
  close(): void {
    if (!this.#machine.apply("close")) return;
    this.#context.connections.leave(this);
    this.#listener.close();
    this.#listener.endHandshakes();
    this.#guests.stop();
    const { routes, clients, scripts } = this.parts;
    for (const route of routes) route.stop();
    for (const session of [...clients]) session.life.destroy();
    for (const route of routes) route.close();
    this.table.close();
    scripts.close();
  }

  get connections(): number {
    const spare = this.parts.routes.reduce((sum, { upstream }) => sum + (upstream?.pins.spare ?? 0), 0);
    return this.#listener.connections + this.parts.counters.pins + spare;
  }

  get connectionBytes(): number {
    const kind = this.parts.config.settings.tlsMode === "disabled" ? "plain" : "tls";
    return this.connections * IDLE_BYTES[kind];
  }

  get stats(): EndpointStats {
    const { config, counters, routes, clients } = this.parts;
    const { requests, cut, holdsExpired, resent, counted } = counters;
    const inLanes = routes.reduce((sum, { upstream }) => sum + (upstream?.lanes.inFlight ?? 0), 0);
    const busyPins = [...clients].filter(({ pinned }) => pinned.current?.work.busy === true).length;
    return {
      bdb: config.bdb,
      epoch: Math.max(...routes.map((route) => route.epoch)),
      listening: this.#listener.listening,
      held: routes.some(({ held }) => held),
      clients: clients.size,
      inFlight: inLanes + busyPins,
      requests,
      cut,
      holdsExpired,
      resent,
      counted,
      ...this.#oldest,
    };
  }

  get #oldest(): Pick<EndpointStats, "oldest"> {
    const all = this.parts.routes.flatMap(({ outstanding }) => outstanding);
    const [oldest] = all.toSorted((one, other) => other.ageMs - one.ageMs);
    return oldest === undefined || oldest.ageMs < REPORTED_MS ? {} : { oldest };
  }

  /** Whether a further connection may be held; the log says when there is no room. */
  #roomCheck(): () => boolean {
    const sayFull = limitedRate(this.parts.clock, FULL_SAID_MS, () => {
      this.parts.log.warn("clients are refused: no room is left for connections", { connections: this.connections });
    });
    return () => {
      const may = this.#context.connections.mayOpen(this);
      if (!may) sayFull();
      return may;
    };
  }

  /** A certificate that cannot be used goes into the log, and the endpoint keeps the one before. */
  #useCertificate(): void {
    try {
      this.#listener.use(this.parts.config);
    } catch (error) {
      if (!isFault(error, faults.badCertificate)) throw error;
      this.parts.log.error("the former certificate stays in use; without one no clients are accepted", { error });
    }
  }

  /** Clients that were accepted in another mode of TLS leave as from a node that is evacuated. */
  #endSessions(): void {
    for (const session of this.parts.clients) this.#leaving.add(session);
    void drainSessions(this.#leaving, MODE_MS, this.parts.clock, {
      stopListening: () => undefined,
      isInMaps: false,
      goesOn: () => true,
    });
  }

  /** Requests of this client are answered, or it is gone. */
  #settled(session: Session, isGone: boolean): void {
    for (const route of this.parts.routes) route.settled(session, isGone);
  }

  #accept(socket: Socket): void {
    const { config, clients, credentials, clock } = this.parts;
    const { worker } = this.#context;
    if (clients.size >= workerClientLimit(config, worker)) {
      this.#listener.refuse(socket);
      return;
    }
    const identity = clientIdentity(socket, {
      id: clientId(config.node, worker, this.#nextClient++),
      authenticated: !credentials.required,
      since: clock.uptimeMs(),
      ofCluster: this.parts.place.modeOf(socket),
    });
    const session: Session = new Session(socket, this.parts, identity, {
      settled: () => {
        this.#settled(session, false);
      },
      ended: () => {
        clients.delete(session);
        this.#leaving.delete(session);
        this.#guests.delete(session);
        this.#settled(session, true);
      },
    });
    clients.add(session);
    if (!session.identity.authenticated) this.#guests.add(session);
  }
}

/** Whether clients of the former mode must leave, since they would not be accepted any more; one that has presented a certificate may stay. */
function endsClients(before: TlsMode, after: TlsMode): boolean {
  return before !== after && !(before === "mutual" && after === "enabled");
}

/** Whether maps of the cluster name the address of this node; with TLS they name the Service alone. */
function isInMaps({ settings: { ossCluster, tlsMode } }: EndpointConfig): boolean {
  return ossCluster && tlsMode === "disabled";
}

/** Where clients connect: all at the first, and those of a cluster where the map of the cluster says. */
function portsOf({ listen, clusterPort }: EndpointConfig): readonly Address[] {
  return clusterPort === undefined ? [listen] : [listen, { host: listen.host, port: clusterPort }];
}

/** How long clients of the former mode have to end their transactions. */
const MODE_MS = 5_000;
/** A request that has been at an engine for less is not worth a note. */
const REPORTED_MS = 200;
