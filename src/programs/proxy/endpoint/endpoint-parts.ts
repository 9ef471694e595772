import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { AgentQuestion, OtherClients } from "../../../ports/management/clients-question.ts";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";
import type { EngineTls } from "../../../ports/resp/engine-tls.ts";
import { Credentials } from "../client/credentials.ts";
import type { ConnectionBudget } from "../limits/connection-budget.ts";
import { Counters } from "../limits/counters.ts";
import { LIMITS } from "../limits/limits.ts";
import type { MemoryBudget } from "../limits/memory-budget.ts";
import { shareOfWorker, type WorkerNumber } from "../limits/proxy-worker.ts";
import { ClientPause } from "../session/client-pause.ts";
import type { ParameterWrites } from "../session/parameter-writes.ts";
import type { SessionEndpoint } from "../session/session-endpoint.ts";
import type { Session } from "../session/session.ts";
import { InTurns } from "../timing/in-turns.ts";
import type { Lease } from "../timing/lease.ts";
import type { ArenaPool } from "../upstream/arena.ts";
import type { PeerWatch } from "../upstream/peer-watch.ts";
import type { UpstreamContext } from "../upstream/upstream.ts";
import { ownParameters, parameterWrites, type KeepParameters } from "./parameters.ts";
import { PlaceOfEndpoint } from "./place-of-endpoint.ts";
import type { EndpointShards } from "./shard-routes.ts";
import { scriptsOfShards, SharedScripts, type SharedScriptsContext } from "./shared-scripts.ts";

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
  readonly worker: WorkerNumber;
}

/** The parts of an endpoint that its sessions work with. */
export class EndpointParts implements SessionEndpoint {
  readonly clock: Clock;
  readonly log: Log;
  readonly credentials: Credentials;
  readonly scripts: SharedScripts;
  readonly counters = new Counters();
  readonly memory: MemoryBudget;
  readonly pause: ClientPause;
  readonly inTurns = new InTurns();
  readonly parameters: ParameterWrites;
  readonly clients = new Set<Session>();
  readonly place = new PlaceOfEndpoint(this);
  readonly #context: EndpointContext;
  readonly #mayOpen: () => boolean;
  readonly #served: EndpointShards;
  /** What the endpoint was given last. */
  config: EndpointConfig;

  /**
   * Each part is made of those above it, as the compiler holds. `served` gets the ways to its shards. `mayOpen`: a further connection may be opened. PROXY_SLOT_TABLE when the
   * shards and slots of the database do not fit.
   */
  constructor(config: EndpointConfig, context: EndpointContext, served: EndpointShards, mayOpen: () => boolean) {
    this.config = config;
    this.#context = context;
    this.#mayOpen = mayOpen;
    const { clock } = context;
    const { clients, counters } = this;
    const { bdb } = config;
    const log = context.log.with({ bdb });
    const holdMs = (): number => this.config.holdMs;
    const scripts: SharedScripts = new SharedScripts(bdb, context, () => scriptsOfShards(this.routes, scripts.cache));
    const shared = { ...context, log, scripts: scripts.cache, ...this.#readLater() };
    const gatherScripts = (): Promise<boolean> => scripts.gather();
    const change = { bdb, counters, clients, holdMs, gatherScripts };
    this.#served = served;
    served.begin({ ...shared, ...change }, config);
    this.clock = clock;
    this.log = log;
    this.memory = context.memory;
    this.scripts = scripts;
    this.pause = new ClientPause(clock, () => {
      for (const session of [...clients]) session.turns.pump();
    });
    this.credentials = new Credentials(config, clock, log);
    this.parameters = parameterWrites(this, context, () => this.config);
  }

  get routes(): EndpointShards["routes"] {
    return this.#served.routes;
  }

  get table(): SessionEndpoint["table"] {
    return this.#served.table;
  }

  get scans(): EndpointShards["scans"] {
    return this.#served.scans;
  }

  get logins(): EndpointConfig["logins"] {
    return this.config.site?.logins ?? this.config.logins;
  }

  get isSite(): boolean {
    return this.config.site !== undefined;
  }

  get ownParameters(): ReadonlyMap<string, string> {
    return ownParameters(this.config);
  }

  get mayPin(): boolean {
    return this.counters.pins < shareOfWorker(LIMITS.pins, this.#context.worker) && this.#mayOpen();
  }

  get isCluster(): boolean {
    return this.config.settings.ossCluster;
  }

  async askOthers(request: readonly Buffer[], node?: number): Promise<readonly OtherClients[]> {
    // no other worker of this node has clients of the database
    if (node === this.place.node && this.#context.worker.of === 1) return [];
    const { bdb } = this.config;
    const words = request.map((word) => word.toString("latin1"));
    const others = await this.#context.askAgent({ bdb, request: words, ...(node === undefined ? {} : { node }) });
    return others ?? [{ node: this.place.node, missing: "its agent is busy" }];
  }

  /** What upstreams ask for each time that they need it. */
  #readLater(): Pick<UpstreamContext, "logins" | "requestLogins" | "scriptLimitMs"> {
    return {
      logins: () => this.config.logins,
      requestLogins: () => this.logins,
      scriptLimitMs: () => this.config.scriptLimitMs,
    };
  }
}
