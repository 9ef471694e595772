import type { Socket } from "node:net";
import type { Clock } from "#kit/base/clock";
import { Fault, isFault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import type { AgentQuestion, ClientsOutcome, OtherClients } from "../../../ports/management/clients-question.ts";
import type { TlsMode } from "../../../core/api/settings/database-settings.ts";
import type { Address, EndpointConfig, EndpointShard, EndpointStats } from "../../../ports/management/proxy-control.ts";
import type { EngineTls } from "../../../ports/resp/engine-tls.ts";
import type { MemoryBudget } from "../limits/memory-budget.ts";
import { Credentials } from "../client/credentials.ts";
import { clientId, identityOf } from "../client/identity.ts";
import type { ConnectionEnds } from "../client/vanished-clients.ts";
import { IDLE_BYTES, type ConnectionBudget, type ConnectionHolder } from "../limits/connection-budget.ts";
import { Counters } from "../limits/counters.ts";
import { workerClientLimit } from "../limits/client-limit.ts";
import { LIMITS } from "../limits/limits.ts";
import { ScanSources } from "../scan/sources.ts";
import { faults } from "../faults.ts";
import { actOnRequest } from "../session/act-on-clients.ts";
import { ClientPause } from "../session/client-pause.ts";
import type { ParameterWrites } from "../session/parameter-writes.ts";
import type { SessionEndpoint } from "../session/session-endpoint.ts";
import { Session } from "../session/session.ts";
import { ShardRoute } from "../switchover/shard-route.ts";
import { InTurns } from "../timing/in-turns.ts";
import type { Lease } from "../timing/lease.ts";
import type { ArenaPool } from "../upstream/arena.ts";
import type { PeerWatch } from "../upstream/peer-watch.ts";
import { onlyRoute, type Routes } from "../upstream/only-route.ts";
import { Upstream, type UpstreamContext } from "../upstream/upstream.ts";
import { cutVanished } from "./cut-vanished.ts";
import { drainSessions } from "./drain.ts";
import type { DrainResult } from "./drain.ts";
import { endpointMachine } from "./endpoint-states.ts";
import { Guests } from "./guests.ts";
import { limitedRate } from "#kit/base/limited-rate";
import { Listener } from "./listener.ts";
import { ownParameters, parameterWrites } from "./parameters.ts";
import type { KeepParameters } from "./parameters.ts";
import { SharedScripts, type SharedScriptsContext } from "./shared-scripts.ts";
import { partOf, type ProxyWorker } from "../limits/proxy-worker.ts";

/** What the endpoints of a proxy share. */
export interface EndpointContext extends SharedScriptsContext {
  readonly log: Log;
  readonly arenas: ArenaPool;
  readonly memory: MemoryBudget;
  readonly peers: PeerWatch;
  readonly connections: ConnectionBudget;
  readonly lease: Lease;
  readonly engineTls: EngineTls;
  /** Has the agent ask the other nodes about clients. */
  readonly askAgent: (question: AgentQuestion) => Promise<readonly OtherClients[] | undefined>;
  /** Has the agent keep parameters of clients in the record of the database. */
  readonly keepParameters: KeepParameters;
  readonly worker: ProxyWorker;
}

/** How often a full proxy says so, in milliseconds. */
const FULL_SAID_MS = 10_000;

/** One database endpoint: it accepts clients and serves them from the primary of the database. */
export class Endpoint implements SessionEndpoint, ConnectionHolder {
  readonly clock: Clock;
  readonly log: Log;
  readonly credentials: Credentials;
  readonly scripts: SharedScripts;
  readonly scans: ScanSources;
  readonly counters: Counters;
  readonly memory: MemoryBudget;
  readonly routes: Routes<ShardRoute>;
  readonly pause: ClientPause;
  readonly inTurns = new InTurns();
  readonly parameters: ParameterWrites;
  readonly #sessions = new Set<Session>();
  /** Sessions of a former mode of TLS; each ends at a boundary between requests. */
  readonly #leaving = new Set<Session>();
  readonly #machine = endpointMachine();
  readonly #listener: Listener;
  readonly #guests: Guests;
  readonly #context: EndpointContext;
  #config: EndpointConfig;
  #nextClient = 1;

  /** Each part is made of those above it, as the compiler holds; at the end the endpoint takes its place among the others. */
  constructor(config: EndpointConfig, context: EndpointContext) {
    this.#config = config;
    this.#context = context;
    const { clock, memory } = context;
    const [log, counters, sessions] = [context.log.with({ bdb: config.bdb }), new Counters(), this.#sessions];
    const holdMs = (): number => this.#config.holdMs;
    const scripts = new SharedScripts(config.bdb, context, () => onlyRoute(this).scripts);
    const shared = { ...context, log, scripts: scripts.cache, ...this.#readLater() };
    const scans = new ScanSources(
      clock,
      (address) => new Upstream(address, { ...shared, changed: () => undefined }),
      holdMs,
    );
    const gatherScripts = (): Promise<boolean> => scripts.gather();
    const change = { bdb: config.bdb, counters, scans, clients: sessions, holdMs, gatherScripts };
    const route = new ShardRoute({ ...shared, ...change }, onlyShard(config), isClosed(config));
    this.clock = clock;
    this.log = log;
    this.memory = memory;
    this.counters = counters;
    this.scripts = scripts;
    this.scans = scans;
    this.routes = [route];
    this.pause = new ClientPause(clock, () => {
      for (const session of [...sessions]) session.turns.pump();
    });
    this.credentials = new Credentials(config, clock, log);
    this.parameters = parameterWrites(this, context, () => this.#config);
    this.#guests = new Guests(clock, route);
    this.#listener = new Listener(context, this.#roomCheck(), (socket) => void this.#accept(socket));
    this.#useCertificate();
    context.connections.join(this);
  }

  /** Takes over a new configuration, or nothing of it: PROXY_EPOCH_TOO_LOW when it is older than what is known, PROXY_UNKNOWN_SHARD. */
  configure(config: EndpointConfig): void {
    const shard = onlyShard(config);
    const route = this.routeOf(shard.id);
    route.requireEpoch(shard.epoch);
    this.credentials.replace(config);
    const before = this.#config.settings.tlsMode;
    this.#config = config;
    this.#useCertificate();
    if (endsClients(before, config.settings.tlsMode)) this.#endSessions();
    route.configure(shard, isClosed(config));
  }

  /** The way to the primary of a shard, of the first one without an id. PROXY_UNKNOWN_SHARD when it has none of that id. */
  routeOf(shard: number | undefined): ShardRoute {
    const route = shard === undefined ? this.routes[0] : this.routes.find(({ id }) => id === shard);
    if (route !== undefined) return route;
    const { bdb } = this.#config;
    throw new Fault(faults.unknownShard, `This proxy serves no shard ${shard} of database ${bdb}.`, { bdb, shard });
  }

  requireLogins(step: number): void {
    const { bdb, loginStep } = this.#config;
    if (loginStep >= step) return;
    throw new Fault(faults.loginNotKnown, `Database ${bdb} is at login ${loginStep}, not ${step}.`, { bdb, step });
  }

  /** Accepts clients, unless another worker does alone. PROXY_CANNOT_LISTEN when the address is in use or not of this machine. */
  async listen(): Promise<void> {
    this.#machine.apply("serve");
    if (this.#machine.state !== "serving") return;
    if (workerClientLimit(this.#config, this.#context.worker) > 0) await this.#listener.listen(this.#config.listen);
    else this.#listener.close();
  }

  /** Closes every client at a boundary between requests; those that are still connected at the deadline remain. `listen` ends it. */
  async drain(deadlineMs: number): Promise<DrainResult> {
    this.#machine.apply("drain");
    const drained = await drainSessions(this.#sessions, deadlineMs, this.clock, {
      stopListening: () => {
        this.#listener.close();
      },
      goesOn: () => this.#machine.state === "draining",
    });
    // what has not begun to ask by now asks elsewhere
    if (this.#machine.apply("end-drain")) this.#listener.endHandshakes();
    return drained;
  }

  cutVanished(hasVanished: (client: ConnectionEnds) => boolean): Promise<void> {
    return cutVanished(this.inTurns, this.#sessions, hasVanished);
  }

  /** Ends everything at once. */
  close(): void {
    if (!this.#machine.apply("close")) return;
    this.#context.connections.leave(this);
    this.#listener.close();
    this.#listener.endHandshakes();
    this.#guests.stop();
    for (const route of this.routes) route.stop();
    for (const session of [...this.#sessions]) session.life.destroy();
    for (const route of this.routes) route.close();
    this.scans.close();
    this.scripts.close();
  }

  get passwordsRevision(): number {
    return this.#config.passwordsRevision;
  }

  get logins(): EndpointConfig["logins"] {
    return this.#config.site?.logins ?? this.#config.logins;
  }

  get isSite(): boolean {
    return this.#config.site !== undefined;
  }

  get ownParameters(): ReadonlyMap<string, string> {
    return ownParameters(this.#config);
  }

  get connections(): number {
    const spare = this.routes.reduce((sum, { upstream }) => sum + (upstream?.pins.spare ?? 0), 0);
    return this.#listener.connections + this.counters.pins + spare;
  }

  get connectionBytes(): number {
    const kind = this.#config.settings.tlsMode === "disabled" ? "plain" : "tls";
    return this.connections * IDLE_BYTES[kind];
  }

  get mayPin(): boolean {
    return this.counters.pins < partOf(LIMITS.pins, this.#context.worker) && this.#context.connections.mayOpen(this);
  }

  get clients(): ReadonlySet<Session> {
    return this.#sessions;
  }

  get service(): Address {
    return this.#config.service;
  }

  get node(): number {
    return this.#config.node;
  }

  get isAlone(): boolean {
    return this.#context.worker.of === 1;
  }

  async askOthers(request: readonly Buffer[], node?: number): Promise<readonly OtherClients[]> {
    const { bdb } = this.#config;
    const words = request.map((word) => word.toString("latin1"));
    const others = await this.#context.askAgent({ bdb, request: words, ...(node === undefined ? {} : { node }) });
    return others ?? [{ node: this.node, missing: "its agent is busy" }];
  }

  /** Does what a client of another node asks; PROXY_BAD_COMMAND when it is nothing that an endpoint knows. */
  actOnClients(request: readonly string[]): Promise<ClientsOutcome> {
    return actOnRequest(this, request);
  }

  get stats(): EndpointStats {
    const { requests, cut, holdsExpired, resent } = this.counters;
    const inLanes = this.routes.reduce((sum, { upstream }) => sum + (upstream?.lanes.inFlight ?? 0), 0);
    return {
      bdb: this.#config.bdb,
      epoch: onlyRoute(this).epoch,
      listening: this.#listener.listening,
      held: this.routes.some(({ held }) => held),
      clients: this.#sessions.size,
      inFlight: inLanes + this.#busyPins,
      requests,
      cut,
      holdsExpired,
      resent,
      counted: this.counters.counted,
      ...this.#oldest,
    };
  }

  get #oldest(): Pick<EndpointStats, "oldest"> {
    const all = this.routes.flatMap(({ outstanding }) => outstanding);
    const [oldest] = all.toSorted((one, other) => other.ageMs - one.ageMs);
    return oldest === undefined || oldest.ageMs < REPORTED_MS ? {} : { oldest };
  }

  get #busyPins(): number {
    return [...this.#sessions].filter(({ pinned }) => pinned.current?.work.busy === true).length;
  }

  /** What upstreams ask for each time that they need it. */
  #readLater(): Pick<UpstreamContext, "logins" | "requestLogins" | "scriptLimitMs"> {
    return {
      logins: () => this.#config.logins,
      requestLogins: () => this.logins,
      scriptLimitMs: () => this.#config.scriptLimitMs,
    };
  }

  /** Whether a further connection may be held; the log says when there is no room. */
  #roomCheck(): () => boolean {
    const sayFull = limitedRate(this.clock, FULL_SAID_MS, () => {
      this.log.warn("clients are refused: no room is left for connections", { connections: this.connections });
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
      this.#listener.use(this.#config);
    } catch (error) {
      if (!isFault(error, faults.badCertificate)) throw error;
      this.log.error("the former certificate stays in use; without one no clients are accepted", { error });
    }
  }

  /** Clients that were accepted in another mode of TLS leave as from a node that is evacuated. */
  #endSessions(): void {
    for (const session of this.#sessions) this.#leaving.add(session);
    void drainSessions(this.#leaving, MODE_MS, this.clock, { stopListening: () => undefined, goesOn: () => true });
  }

  /** No request of this client is at an engine. */
  #settled(session: Session): void {
    for (const route of this.routes) route.settled(session);
  }

  #accept(socket: Socket): void {
    if (this.#sessions.size >= workerClientLimit(this.#config, this.#context.worker)) {
      this.#listener.refuse(socket);
      return;
    }
    const identity = identityOf(
      socket,
      clientId(this.node, this.#context.worker, this.#nextClient++),
      !this.credentials.required,
      this.clock.uptimeMs(),
    );
    const session: Session = new Session(socket, this, identity, {
      settled: () => {
        this.#settled(session);
      },
      ended: () => {
        this.#sessions.delete(session);
        this.#leaving.delete(session);
        this.#guests.delete(session);
        this.#settled(session);
      },
    });
    this.#sessions.add(session);
    if (!session.identity.authenticated) this.#guests.add(session);
  }
}

/** That of a database with one shard: PROXY_UNKNOWN_SHARD for any other number, because requests are not routed by their keys. */
function onlyShard({ bdb, shards }: EndpointConfig): EndpointShard {
  const [shard, ...others] = shards;
  if (shard !== undefined && others.length === 0) return shard;
  const message = `This proxy serves one shard of a database, and database ${bdb} has ${shards.length}.`;
  throw new Fault(faults.unknownShard, message, { bdb, shards: shards.length });
}

/** Clients are kept from the engine while what other sites hold is not here. */
function isClosed({ site }: EndpointConfig): boolean {
  return site?.awaitsSites === true;
}

/** Whether clients of the mode before may not stay: they would not be accepted any more. Who has presented a certificate may stay. */
function endsClients(before: TlsMode, after: TlsMode): boolean {
  return before !== after && !(before === "mutual" && after === "enabled");
}

/** How long clients of the former mode have to end their transactions. */
const MODE_MS = 5_000;
/** A request that has been at an engine for less is not worth a note. */
const REPORTED_MS = 200;
