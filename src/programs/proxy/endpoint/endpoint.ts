import type { Socket } from "node:net";
import type { Clock } from "../../../core/base/clock.ts";
import { Fault, isFault } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import type { AgentQuestion, ClientsOutcome, OtherClients } from "../../../ports/management/clients-question.ts";
import type { Address, EndpointConfig, EndpointStats } from "../../../ports/management/proxy-control.ts";
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
import { Switchover } from "../switchover/switchover.ts";
import { InTurns } from "../timing/in-turns.ts";
import type { Lease } from "../timing/lease.ts";
import type { ArenaPool } from "../upstream/arena.ts";
import type { PeerWatch } from "../upstream/peer-watch.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import { Upstream } from "../upstream/upstream.ts";
import { cutVanished } from "./cut-vanished.ts";
import { drainSessions } from "./drain.ts";
import type { DrainResult } from "./drain.ts";
import { Guests } from "./guests.ts";
import { limitedRate } from "../../../core/base/limited-rate.ts";
import { Listener } from "./listener.ts";
import { ownParameters, parameterWrites } from "./parameters.ts";
import type { KeepParameters } from "./parameters.ts";
import { SharedScripts, type SharedScriptsContext } from "./shared-scripts.ts";
import { endsClients } from "./tls-mode.ts";
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
  readonly counters = new Counters();
  readonly memory: MemoryBudget;
  readonly primary: PrimaryView;
  readonly switchover: Switchover;
  readonly pause: ClientPause;
  readonly inTurns = new InTurns();
  readonly parameters: ParameterWrites;
  readonly #sessions = new Set<Session>();
  /** Sessions of a former mode of TLS; each ends at a boundary between requests. */
  readonly #leaving = new Set<Session>();
  readonly #listener: Listener;
  readonly #guests: Guests;
  readonly #context: EndpointContext;
  #config: EndpointConfig;
  #nextClient = 1;

  constructor(config: EndpointConfig, context: EndpointContext) {
    const { clock, arenas, peers, lease, engineTls } = context;
    this.memory = context.memory;
    this.scripts = new SharedScripts(config.bdb, context, () => this.switchover.scripts);
    this.#context = context;
    this.clock = clock;
    this.pause = new ClientPause(clock, () => {
      for (const session of [...this.#sessions]) session.turns.pump();
    });
    this.log = context.log.with({ bdb: config.bdb });
    this.credentials = new Credentials(config, clock, this.log);
    const sayFull = limitedRate(clock, FULL_SAID_MS, () => {
      this.log.warn("clients are refused: no room is left for connections", { connections: this.connections });
    });
    const mayOpen = (): boolean => {
      const may = this.#context.connections.mayOpen(this);
      if (!may) sayFull();
      return may;
    };
    this.#listener = new Listener(context, mayOpen, (socket) => void this.#accept(socket));
    this.#config = config;
    this.#useCertificate();
    const { log, counters, memory } = this;
    const scripts = this.scripts.cache;
    const holdMs = (): number => this.#config.holdMs;
    const scriptLimitMs = (): number => this.#config.scriptLimitMs;
    const logins = { logins: () => this.#config.logins, requestLogins: () => this.logins };
    const shared = { clock, log, arenas, memory, peers, scripts, lease, engineTls, ...logins, scriptLimitMs };
    const scanned = { ...shared, changed: () => undefined };
    this.scans = new ScanSources(clock, (address) => new Upstream(address, scanned), holdMs);
    const gatherScripts = (): Promise<boolean> => this.scripts.gather();
    const change = { bdb: config.bdb, counters, scans: this.scans, clients: this.#sessions, holdMs, gatherScripts };
    this.switchover = new Switchover({ ...shared, ...change }, config);
    this.primary = this.switchover;
    this.parameters = parameterWrites(this, context, () => this.#config);
    this.#guests = new Guests(clock, this.primary);
    this.#context.connections.join(this);
  }

  /** Takes over a new configuration; PROXY_EPOCH_TOO_LOW when it is older than what is known. */
  configure(config: EndpointConfig): void {
    this.switchover.requireEpoch(config.epoch);
    this.credentials.replace(config);
    const before = this.#config.settings.tlsMode;
    this.#config = config;
    this.#useCertificate();
    if (endsClients(before, config.settings.tlsMode)) this.#endSessions();
    this.switchover.configure(config);
  }

  requireLogins(step: number): void {
    const { bdb, loginStep } = this.#config;
    if (loginStep >= step) return;
    throw new Fault(faults.loginNotKnown, `Database ${bdb} is at login ${loginStep}, not ${step}.`, { bdb, step });
  }

  /** Accepts clients, unless another worker does alone. PROXY_CANNOT_LISTEN when the address is in use or not of this machine. */
  async listen(): Promise<void> {
    if (workerClientLimit(this.#config, this.#context.worker) > 0) await this.#listener.listen(this.#config.listen);
    else this.#listener.close();
  }

  /** Closes every client at a boundary between requests; those that are still connected at the deadline remain. */
  async drain(deadlineMs: number): Promise<DrainResult> {
    const drained = await drainSessions(this.#sessions, deadlineMs, this.clock, () => {
      this.#listener.close();
    });
    this.#listener.endHandshakes(); // what has not begun to ask by now asks elsewhere
    return drained;
  }

  cutVanished(hasVanished: (client: ConnectionEnds) => boolean): Promise<void> {
    return cutVanished(this.inTurns, this.#sessions, hasVanished);
  }

  /** Ends everything at once. */
  close(): void {
    this.#context.connections.leave(this);
    this.#listener.close();
    this.#listener.endHandshakes();
    this.#guests.stop();
    this.switchover.stop();
    for (const session of [...this.#sessions]) session.life.destroy();
    this.switchover.close();
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
    return this.#listener.connections + this.counters.pins + (this.switchover.upstream?.pins.spare ?? 0);
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
    const { epoch, held, upstream } = this.switchover;
    return {
      ...{ bdb: this.#config.bdb, epoch, listening: this.#listener.listening, held },
      ...{ clients: this.#sessions.size, inFlight: (upstream?.lanes.inFlight ?? 0) + this.#busyPins },
      ...{ requests, cut, holdsExpired, resent, counted: this.counters.counted },
      ...this.#oldest,
    };
  }

  get #oldest(): Pick<EndpointStats, "oldest"> {
    const [oldest] = this.switchover.outstanding.toSorted((one, other) => other.ageMs - one.ageMs);
    return oldest === undefined || oldest.ageMs < REPORTED_MS ? {} : { oldest };
  }

  get #busyPins(): number {
    return [...this.#sessions].filter(({ pinned }) => pinned.current?.work.busy === true).length;
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
    void drainSessions(this.#leaving, MODE_MS, this.clock, () => undefined);
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
        this.switchover.settled(session);
      },
      ended: () => {
        this.#sessions.delete(session);
        this.#leaving.delete(session);
        this.#guests.delete(session);
        this.switchover.settled(session);
      },
    });
    this.#sessions.add(session);
    if (!session.identity.authenticated) this.#guests.add(session);
  }
}

/** How long clients of the former mode have to end their transactions. */
const MODE_MS = 5_000;
/** A request that has been at an engine for less is not worth a note. */
const REPORTED_MS = 200;
