import { assertNever } from "#kit/base/assert-never";
import { Fault, isFault, messageOf } from "#kit/base/fault";
import type {
  EndpointConfig,
  ProxyCommand,
  ProxyReply,
  ShardName,
  TableName,
} from "../../ports/management/proxy-control.ts";
import { ConnectionBudget, type ConnectionRoom } from "./limits/connection-budget.ts";
import { LIMITS } from "./limits/limits.ts";
import { MemoryBudget } from "./limits/memory-budget.ts";
import { Endpoint } from "./endpoint/endpoint.ts";
import type { EndpointContext } from "./endpoint/endpoint-parts.ts";
import { actOnRequest } from "./session/act-on-clients.ts";
import { faults } from "./faults.ts";
import type { ShardRoute } from "./switchover/shard-route.ts";
import { Lease } from "./timing/lease.ts";
import { within } from "./timing/within.ts";
import { EngineTls } from "../../ports/resp/engine-tls.ts";
import { ArenaPool } from "./upstream/arena.ts";
import { PeerWatch } from "./upstream/peer-watch.ts";
import { watchForVanished } from "./vanished.ts";

export type ProxyContext = Pick<
  EndpointContext,
  "clock" | "log" | "askAgent" | "askScripts" | "keepParameters" | "worker"
>;

type CommandOf<Op extends ProxyCommand["op"]> = Extract<ProxyCommand, { readonly op: Op }>;

/** All endpoints of one process, as the agent commands them. */
export class ProxyEndpoints {
  readonly #context: ProxyContext;
  readonly #arenas = new ArenaPool();
  readonly #memory = new MemoryBudget(LIMITS.allHeldBytes);
  readonly #scriptMemory = new MemoryBudget(LIMITS.allScriptBytes);
  readonly #peers: PeerWatch;
  readonly #connections: ConnectionBudget;
  readonly #lease: Lease;
  readonly #engineTls = new EngineTls();
  readonly #endpoints = new Map<number, Endpoint>();
  readonly #stopWatch: () => void;
  #draining = false;

  constructor(context: ProxyContext, room: ConnectionRoom) {
    this.#context = context;
    this.#connections = new ConnectionBudget(room);
    this.#lease = new Lease(context.clock);
    this.#peers = new PeerWatch(context.clock);
    this.#stopWatch = watchForVanished(context.clock, async (hasVanished) => {
      for (const endpoint of this.#endpoints.values()) await endpoint.cutVanished(hasVanished);
    });
  }

  /** The reply to a command; it does not reject. */
  async execute(command: ProxyCommand): Promise<ProxyReply> {
    try {
      const reply = await this.#taken(command);
      if (MOVES.has(command.op)) for (const endpoint of this.#endpoints.values()) endpoint.noticeSlots();
      return reply;
    } catch (error) {
      if (error instanceof Fault) return { ok: false, code: error.code, message: error.message };
      this.#context.log.error("command failed", { op: command.op, error });
      return { ok: false, code: faults.failed.code, message: messageOf(error) };
    }
  }

  close(): void {
    this.#stopWatch();
    for (const endpoint of this.#endpoints.values()) endpoint.close();
    this.#endpoints.clear();
  }

  async #taken(command: ProxyCommand): Promise<ProxyReply> {
    if ("tableEpoch" in command) return this.#endpoint(command.bdb).table.execute(command);
    return this.#execute(command);
  }

  async #execute(command: Exclude<ProxyCommand, TableName>): Promise<ProxyReply> {
    switch (command.op) {
      case "lease":
        this.#lease.grant(command.untilMs);
        return { ok: true, op: command.op };
      case "configure":
        return { ok: true, op: command.op, refused: await this.#configure(command) };
      case "prepare":
        return this.#prepare(command);
      case "quiet":
        return this.#quiet(command);
      case "hold":
        return this.#hold(command);
      case "fence":
        return this.#fence(command);
      case "release":
        return this.#release(command);
      case "confirm":
        return this.#confirm(command);
      case "logins":
        return this.#requireLogins(command);
      case "passwords":
        return this.#requirePasswords(command);
      case "closed":
        return this.#requireClosed(command);
      case "abort":
        return this.#abort(command);
      case "drain":
        return this.#drain(command.deadlineMs);
      case "undrain":
        return this.#undrain();
      case "clients":
      case "scripts":
        return this.#ofAllProxies(command);
      case "stats":
        return { ok: true, op: command.op, endpoints: [...this.#endpoints.values()].map((endpoint) => endpoint.stats) };
      default:
        return assertNever(command);
    }
  }

  /** Makes the endpoints those that are named. The numbers of those whose epoch or shards it refuses, which stay as they are. */
  async #configure({ endpoints: wanted, engineCertificate }: CommandOf<"configure">): Promise<readonly number[]> {
    if (engineCertificate !== undefined) this.#engineTls.use(engineCertificate);
    const kept = new Set(wanted.map(({ bdb }) => bdb));
    for (const [bdb, endpoint] of [...this.#endpoints])
      if (!kept.has(bdb)) {
        endpoint.close();
        this.#endpoints.delete(bdb);
      }
    const refused: number[] = [];
    for (const config of wanted) if (!(await this.#configureOne(config))) refused.push(config.bdb);
    return refused;
  }

  async #configureOne(config: EndpointConfig): Promise<boolean> {
    const known = this.#endpoints.get(config.bdb);
    try {
      if (known === undefined)
        this.#endpoints.set(config.bdb, new Endpoint(config, { ...this.#context, ...this.#shared() }));
      else known.configure(config);
    } catch (error) {
      if (isFault(error, faults.epochTooLow)) return false;
      if (!isFault(error, faults.slotTable)) throw error;
      this.#context.log.error("the shards of a database are not served", { bdb: config.bdb, error });
      return false;
    }
    if (!this.#draining) await this.#endpoint(config.bdb).listen();
    return true;
  }

  #shared(): Omit<EndpointContext, keyof ProxyContext> {
    return {
      arenas: this.#arenas,
      memory: this.#memory,
      scriptMemory: this.#scriptMemory,
      connections: this.#connections,
      lease: this.#lease,
      engineTls: this.#engineTls,
      peers: this.#peers,
    };
  }

  async #prepare({ epoch, target, ...named }: CommandOf<"prepare">): Promise<ProxyReply> {
    await this.#route(named).prepare(epoch, target);
    return { ok: true, op: "prepare" };
  }

  async #quiet({ withinMs, ...named }: CommandOf<"quiet">): Promise<ProxyReply> {
    return { ok: true, op: "quiet", waitsFor: await this.#route(named).quiet(withinMs) };
  }

  /** What the other proxies of the database do as well. */
  async #ofAllProxies(command: CommandOf<"clients"> | CommandOf<"scripts">): Promise<ProxyReply> {
    const endpoint = this.#endpoint(command.bdb);
    if (command.op === "scripts") return { ok: true, op: command.op, ...endpoint.parts.scripts.take(command) };
    return { ok: true, op: command.op, ...(await actOnRequest(endpoint.parts, command.request)) };
  }

  async #hold({ epoch, drainMs, holdMs, ...named }: CommandOf<"hold">): Promise<ProxyReply> {
    return { ok: true, op: "hold", drainMs: await this.#route(named).hold(epoch, drainMs, holdMs) };
  }

  #fence({ epoch, ...named }: CommandOf<"fence">): ProxyReply {
    this.#route(named).fence(epoch);
    return { ok: true, op: "fence" };
  }

  #abort({ epoch, ...named }: CommandOf<"abort">): ProxyReply {
    this.#route(named).abort(epoch);
    return { ok: true, op: "abort" };
  }

  async #release({ epoch, target, sync, ...named }: CommandOf<"release">): Promise<ProxyReply> {
    return { ok: true, op: "release", heldMs: await this.#route(named).release(epoch, target, sync) };
  }

  async #confirm({ epoch, version, withinMs, ...named }: CommandOf<"confirm">): Promise<ProxyReply> {
    if (await this.#route(named).confirm(epoch, version, withinMs)) return { ok: true, op: "confirm" };
    const { bdb } = named;
    const message = `Replies of database ${bdb} do not wait for version ${version} of its set of epoch ${epoch} yet.`;
    throw new Fault(faults.setNotKnown, message, { bdb, epoch, version });
  }

  #requireLogins({ bdb, step }: CommandOf<"logins">): ProxyReply {
    const { loginStep } = this.#endpoint(bdb).parts.config;
    if (loginStep >= step) return { ok: true, op: "logins" };
    throw new Fault(faults.loginNotKnown, `Database ${bdb} is at login ${loginStep}, not ${step}.`, { bdb, step });
  }

  async #requirePasswords({ bdb, revision, withinMs }: CommandOf<"passwords">): Promise<ProxyReply> {
    const known = (): number => this.#endpoints.get(bdb)?.parts.config.passwordsRevision ?? -1;
    if (await within(this.#context.clock, withinMs, () => known() >= revision)) return { ok: true, op: "passwords" };
    const message = `Clients of database ${bdb} are not let in by revision ${revision} of its passwords yet.`;
    throw new Fault(faults.passwordsNotKnown, message, { bdb, revision });
  }

  async #requireClosed({ bdb, withinMs }: CommandOf<"closed">): Promise<ProxyReply> {
    const { clock } = this.#context;
    // meanwhile it may be configured for the first time
    if (
      await within(
        clock,
        withinMs,
        () => this.#endpoints.get(bdb)?.parts.routes.every((route) => route.isClosed) === true,
      )
    )
      return { ok: true, op: "closed" };
    throw new Fault(faults.letsClientsIn, `Clients of database ${bdb} get to its engine.`, { bdb });
  }

  async #drain(deadlineMs: number): Promise<ProxyReply> {
    this.#draining = true;
    const drained = await Promise.all([...this.#endpoints.values()].map((endpoint) => endpoint.drain(deadlineMs)));
    const closed = drained.reduce((sum, one) => sum + one.closed, 0);
    const remaining = drained.reduce((sum, one) => sum + one.remaining, 0);
    return { ok: true, op: "drain", closed, remaining };
  }

  async #undrain(): Promise<ProxyReply> {
    this.#draining = false;
    await Promise.all([...this.#endpoints.values()].map((endpoint) => endpoint.listen()));
    return { ok: true, op: "undrain" };
  }

  #route({ bdb, shard }: ShardName): ShardRoute {
    return this.#endpoint(bdb).routeOf(shard);
  }

  #endpoint(bdb: number): Endpoint {
    const endpoint = this.#endpoints.get(bdb);
    if (endpoint === undefined)
      throw new Fault(faults.unknownEndpoint, `This proxy serves no endpoint of database ${bdb}.`, { bdb });
    return endpoint;
  }
}

/** The commands behind which another primary may serve. */
const MOVES: ReadonlySet<ProxyCommand["op"]> = new Set(["configure", "release", "release-table"]);
