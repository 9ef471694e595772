import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { EngineLogin } from "../../../core/api/engine-login.ts";
import type { EnginePlace } from "../../../ports/management/proxy-control.ts";
import { engineCodeOf, type EngineClient } from "../../../ports/resp/engine-client.ts";
import { parseInfo, type Info } from "../../../ports/resp/info.ts";
import type { EngineTls } from "../../../ports/resp/engine-tls.ts";
import { textOf } from "../../../ports/resp/reply.ts";
import type { MemoryBudget } from "../limits/memory-budget.ts";
import type { Lease } from "../timing/lease.ts";
import { startTimer } from "../timing/timer.ts";
import type { ArenaPool } from "./arena.ts";
import { CommandCatalogue } from "./command-catalogue.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import { BusyPeriod } from "./busy-period.ts";
import { ControlConnection } from "./control-connection.ts";
import type { EngineUser } from "./control-connection.ts";
import { dialEngine } from "./engine-connection.ts";
import { LanePool } from "./lane-pool.ts";
import type { PeerWatch } from "./peer-watch.ts";
import { PinPool } from "./pin-pool.ts";
import { ReplicaRounds } from "./replica-rounds.ts";
import type { ScriptCache } from "./script-cache.ts";
import { ScriptLoader } from "./script-loader.ts";
import { Unblocking } from "./unblocking.ts";

/** What the upstreams of an endpoint share. */
export interface UpstreamContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly arenas: ArenaPool;
  readonly scripts: ScriptCache;
  readonly lease: Lease;
  readonly memory: MemoryBudget;
  readonly peers: PeerWatch;
  /** What to try at the engine, in this order. */
  readonly logins: () => readonly EngineLogin[];
  /** What to try on connections that carry requests of clients, in this order. */
  readonly requestLogins: () => readonly EngineLogin[];
  /** For engines whose port speaks TLS. */
  readonly engineTls: EngineTls;
  /** How long a script may run until others get the answer BUSY; 0 for as long as it likes. */
  readonly scriptLimitMs: () => number;
  /** A lane is ready, is gone, or takes requests again. */
  readonly changed: () => void;
  /** What the engine lists its connections as that carry requests of clients. */
  readonly connectionName: string;
  /**
   * Clients are sent to the engine: a connection that is dialled now is of use only while it is a primary. Those that were prepared are, as it is promoted
   * before, and an engine ends all of them when it follows another one.
   */
  readonly mustLead: () => boolean;
}

/** All connections of one endpoint to one engine. */
export class Upstream {
  readonly address: EnginePlace;
  readonly lanes: LanePool;
  readonly pins: PinPool;
  readonly busy: BusyPeriod;
  readonly catalogue: CommandCatalogue;
  /** Brings the engine the scripts of clients. */
  readonly scripts: ScriptLoader;
  /** What its replies wait for; none passes until that is said. */
  readonly rounds: ReplicaRounds;
  readonly #clock: Clock;
  readonly #control: ControlConnection;
  readonly #unblocking: Unblocking;
  readonly #stopWatch: () => void;
  #retired = false;
  #cancelDeadline: () => void = () => undefined;

  constructor(address: EnginePlace, context: UpstreamContext) {
    const { clock, arenas, lease, memory, logins, requestLogins, log, scripts, changed } = context;
    this.address = address;
    this.busy = new BusyPeriod(context.scriptLimitMs);
    this.#clock = clock;
    const target = { host: address.host, port: address.port, tls: address.tls && context.engineTls };
    this.#control = new ControlConnection(target, logins);
    this.#unblocking = new Unblocking(new ControlConnection(target, logins));
    this.scripts = new ScriptLoader(scripts, () => this.control());
    this.catalogue = new CommandCatalogue(clock, () => this.control());
    this.rounds = new ReplicaRounds({ address: target, logins, clock });
    const permits = { lease, rounds: this.rounds, memory };
    const isRetired = (): boolean => this.#retired;
    const dial = (settings: ConnectionSettings) =>
      dialEngine({
        address: target,
        logins: requestLogins(),
        ...settings,
        timeoutMs: DIAL_TIMEOUT_MS,
        name: context.connectionName,
        mustLead: context.mustLead(),
      });
    const unreachable = (failures: number, error: unknown): void => {
      if (failures === LOGGED_FAILURE) log.warn("engine cannot be reached", { ...address, error });
    };
    this.lanes = new LanePool({ clock, arenas, permits, isRetired, dial, changed, unreachable });
    this.pins = new PinPool({ clock, permits, isRetired, dial });
    this.#stopWatch = context.peers.watch({
      address,
      isConnected: () => this.lanes.reachable,
      isAtWork: () => this.lanes.inFlight > 0 || this.pins.inUse,
      ping: async () => (await this.control()).call("PING"),
      vanished: () => {
        log.warn("the engine's machine has vanished: all connections to it are ended", { ...address });
        this.#endAll();
      },
    });
  }

  /** True for the engine at this address. */
  isAt({ host, port, tls }: EnginePlace): boolean {
    return this.address.host === host && this.address.port === port && this.address.tls === tls;
  }

  /** Prepares all that a switchover needs: lanes with these settings, and the control connection. Rejects when one fails. */
  async warm(settings: readonly ConnectionSettings[]): Promise<void> {
    await Promise.all([this.lanes.open(settings), this.control()]);
  }

  /** A connection for commands of the proxy itself. */
  control(): Promise<EngineClient> {
    return this.#control.client();
  }

  /** The engine's status or error reply, encoded, to a command that must not wait behind those of other clients. */
  ask(args: readonly Buffer[], user: EngineUser | undefined): Promise<Buffer> {
    return this.#control.ask(args, user);
  }

  /**
   * Ends the wait of the connection with this CLIENT ID, while that `isDue`; false when it does not wait, or the engine is gone or does not answer. At an
   * engine whose writes are paused this waits until they go on; not at one that clients have left, where an ERROR is the last that the connection gets.
   */
  async unblock(id: number, how: "TIMEOUT" | "ERROR", isDue: () => boolean): Promise<boolean> {
    if (!this.#retired || how === "TIMEOUT") return this.#unblocking.end(id, how, isDue);
    try {
      // it may answer twice: of no matter. Its writes are paused until it is demoted, and clients wait at the next primary
      return (await (await this.control()).call("CLIENT", "UNBLOCK", id, how)) === 1;
    } catch {
      return false; // nothing waits at an engine that is gone
    }
  }

  /** What the engine says of its program and its process; rejects when it does not answer. */
  async server(): Promise<Info> {
    const control = await this.control();
    return parseInfo(textOf(await control.call("INFO", "server")));
  }

  /** What tells this start of the engine from all others; rejects when it does not answer. */
  async runId(): Promise<string> {
    return (await this.server()).get("run_id") ?? "";
  }

  /** The engine has a user of that name; rejects when it does not answer. */
  async hasUser(name: string): Promise<boolean> {
    const control = await this.control();
    return (await control.call("ACL", "GETUSER", Buffer.from(name, "latin1"))) !== null;
  }

  /** True when the engine is no primary, loads, or runs a script; false when it does not say. */
  async refuses(): Promise<boolean> {
    try {
      const control = await this.control();
      const info = parseInfo(textOf(await control.call("INFO", "replication", "persistence")));
      return info.get("role") !== "master" || info.get("loading") !== "0";
    } catch (error) {
      return engineCodeOf(error) === "BUSY"; // otherwise the engine is gone: nothing is known of it
    }
  }

  /** True when the engine says that it is a primary; false when it is none, or does not say. While it runs a script, it is asked again. */
  async leads(): Promise<boolean> {
    try {
      const info = parseInfo(textOf(await (await this.control()).call("INFO", "replication")));
      return info.get("role") === "master";
    } catch (error) {
      if (engineCodeOf(error) !== "BUSY") return false;
      await this.#clock.sleep(BUSY_PAUSE_MS);
      return await this.leads();
    } finally {
      if (this.#retired) this.#control.close();
    }
  }

  /** Takes no more requests; replies to those in flight may arrive for `graceMs` more. */
  retire(graceMs: number): void {
    if (this.#retired) return;
    this.#retired = true;
    this.pins.destroyIdle();
    this.lanes.destroyIdle();
    this.#cancelDeadline = startTimer(this.#clock, graceMs, () => {
      this.destroy();
    });
  }

  /** Ends every connection at once, pinned ones too: the outcome of what is in flight stays unknown. */
  sever(): void {
    this.destroy();
    this.pins.sever();
  }

  /** Ends the lanes and what is idle; pinned connections stay with their clients. */
  destroy(): void {
    this.#retired = true;
    this.#cancelDeadline();
    this.#stopWatch();
    this.pins.destroyIdle();
    this.lanes.destroy();
    this.#control.close();
    this.#unblocking.finish();
    this.rounds.close();
  }

  /** Ends every connection; new ones are dialled. */
  #endAll(): void {
    this.#control.close();
    this.#unblocking.close();
    this.pins.destroyIdle();
    this.pins.sever();
    this.lanes.destroy();
  }
}

const DIAL_TIMEOUT_MS = 2000;
const BUSY_PAUSE_MS = 20;
/** An engine that starts refuses connections for a moment: only this many failures in a row are logged. */
const LOGGED_FAILURE = 8;
