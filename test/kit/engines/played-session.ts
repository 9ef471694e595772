import { silentLog } from "#kit/base/log";
import { encodeCommand } from "../../../src/ports/resp/encode.ts";
import { EngineTls } from "../../../src/ports/resp/engine-tls.ts";
import type { ClientIdentity } from "../../../src/programs/proxy/client/identity.ts";
import { LoginTurns } from "../../../src/programs/proxy/client/login-turns.ts";
import { Counters } from "../../../src/programs/proxy/limits/counters.ts";
import { Pinned } from "../../../src/programs/proxy/pinned/pinned.ts";
import type { PinnedEndpoint, PinnedParts } from "../../../src/programs/proxy/pinned/pinned-parts.ts";
import { replies } from "../../../src/programs/proxy/protocol/replies.ts";
import { COMMAND_TABLE } from "../../../src/programs/proxy/protocol/table/table.ts";
import { ArenaPool } from "../../../src/programs/proxy/upstream/arena.ts";
import { DEFAULT_SETTINGS } from "../../../src/programs/proxy/upstream/connection-settings.ts";
import type { Pin } from "../../../src/programs/proxy/upstream/pin.ts";
import { PeerWatch } from "../../../src/programs/proxy/upstream/peer-watch.ts";
import { ScriptCache } from "../../../src/programs/proxy/upstream/script-cache.ts";
import { Upstream } from "../../../src/programs/proxy/upstream/upstream.ts";
import { FakeClock } from "#kit/testing/fake-clock";
import { heldLease } from "../time/lease.ts";
import { until } from "#kit/testing/until";
import { NotedMemory } from "./noted-memory.ts";
import { ScriptedEngine } from "./scripted-engine.ts";

/** How long a former primary may answer. */
export const HOLD_MS = 1_000;

const READONLY = "-READONLY You can't write against a read only replica.\r\n";
const BUSY = "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n";

/** A pinned session between a client that a test plays and two engines that answer what the test says. */
export class PlayedSession implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly memory = new NotedMemory(2 ** 27);
  /** Why the client was cut. */
  readonly cuts: string[] = [];
  /** How often the session was to share a lane again. */
  unpinned = 0;
  readonly #engines: Engines;
  readonly #former: Upstream;
  readonly #next: Upstream;
  #upstream: Upstream;
  #isHeld = false;
  #pinned: Pinned | undefined;

  private constructor(engines: Engines) {
    this.#engines = engines;
    this.#former = this.#connectTo(engines.former);
    this.#next = this.#connectTo(engines.next);
    this.#upstream = this.#former;
  }

  /** Starts two engines, and a session at the first of them; `isWatching`: it needs its connection. */
  static async start({ isWatching }: { readonly isWatching: boolean }): Promise<PlayedSession> {
    const played = new PlayedSession(new Engines(await ScriptedEngine.start(), await ScriptedEngine.start()));
    try {
      await played.#begin(isWatching);
      return played;
    } catch (error) {
      await played[Symbol.asyncDispose]();
      throw error;
    }
  }

  get pinned(): Pinned {
    if (this.#pinned === undefined) throw new Error("the session has not begun");
    return this.#pinned;
  }

  /** Sends a request of the client, which must be taken. */
  send(...args: readonly string[]): void {
    if (!this.pinned.take(encodeCommand(args), COMMAND_TABLE.get(args[0] ?? "")))
      throw new Error(`${args[0]} is not taken`);
  }

  /** A script is answered by what only the engine's role explains, and the engine does not say its role. */
  async ask(argument = ""): Promise<void> {
    if (!this.#engines.owes("EVAL")) this.send("EVAL", "return 1", "0", argument);
    await this.#engines.reply("EVAL", READONLY);
    await until("the engine is asked", () => this.pinned.work.at === "asking" || this.pinned.work.at === "asking-last");
  }

  /** The engine says its role. */
  async decide(role: "master" | "slave" = "master"): Promise<void> {
    this.#engines.sayRole(role);
    await this.#former.leads(); // behind the question of the session
  }

  /** The engine runs a script, and executes nothing. */
  async meetScript(): Promise<void> {
    this.send("GET", "busy");
    await this.#engines.reply("GET", BUSY);
    await until("it waits", () => this.pinned.work.at === "waiting");
  }

  /** The endpoint has another primary, and this one has not answered everything. */
  changePrimary(): void {
    if (this.pinned.work.at === "attached") this.send("EVAL", "return 1", "0");
    this.send("GET", "late");
    this.#switch();
  }

  /** The endpoint has another primary, where nothing goes yet, and nothing is at this one. */
  async depart(): Promise<void> {
    this.#isHeld = true;
    if (this.pinned.work.at !== "leaving") this.#switch();
    else {
      this.#engines.sayRole("master");
      await this.#engines.reply("EVAL", ":1\r\n");
      await this.#engines.reply("GET", "$-1\r\n");
    }
  }

  loseEngine(): void {
    this.#isHeld = true;
    this.#engines.former.cut();
  }

  /** The next primary takes what waits. */
  arrive(): void {
    this.#isHeld = false;
    this.pinned.upstreamChanged();
  }

  end(): void {
    this.pinned.dispose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#pinned?.dispose();
    for (const upstream of [this.#former, this.#next]) upstream.sever();
    await this.#engines[Symbol.asyncDispose]();
  }

  async #begin(isWatching: boolean): Promise<void> {
    const pin: Pin = await this.#former.pins.dial(DEFAULT_SETTINGS);
    this.#pinned = new Pinned(this.#parts, pin, this.#former);
    if (!isWatching) return;
    this.send("WATCH", "k");
    await this.#engines.reply("WATCH", "+OK\r\n");
    await until("the WATCH is answered", () => !this.pinned.work.hasPending);
  }

  #switch(): void {
    this.#upstream = this.#next;
    this.pinned.upstreamChanged();
  }

  #connectTo({ host, port }: ScriptedEngine): Upstream {
    const { clock, memory } = this;
    const place = { host, port };
    const upstream = new Upstream(place, {
      clock,
      memory,
      log: silentLog,
      arenas: new ArenaPool(),
      scripts: new ScriptCache(memory),
      lease: heldLease(),
      peers: new PeerWatch(clock),
      logins: () => [],
      requestLogins: () => [],
      engineTls: new EngineTls(),
      scriptLimitMs: () => 0,
      changed: () => undefined,
      connectionName: "scripted",
      mustLead: () => false,
    });
    upstream.rounds.require("none");
    return upstream;
  }

  get #parts(): PinnedParts {
    const nothing = (): void => undefined;
    return {
      endpoint: this.#endpoint,
      identity: clientIdentity(),
      invalidations: { find: () => Promise.resolve({ id: 0 }) },
      output: { congested: false, deliver: nothing, push: nothing, reply: nothing },
      life: {
        takesRequests: true,
        finishing: false,
        inputEnded: false,
        ended: false,
        finish: nothing,
        cut: (why) => void this.cuts.push(why),
      },
      turns: {
        answer: () => true,
        answerTo: () => Promise.resolve(replies.ok),
        waitFor: nothing,
        settled: nothing,
        pump: nothing,
      },
      work: { hasPending: false },
      shared: { hasPending: false, leaveLane: nothing, usableLane: nothing },
      pinned: {
        leave: () => {
          this.unpinned += 1;
          this.pinned.dispose();
        },
      },
    };
  }

  get #endpoint(): PinnedEndpoint {
    const [upstream, held] = [() => this.#upstream, () => this.#isHeld];
    return {
      clock: this.clock,
      log: silentLog,
      table: undefined,
      routes: [
        {
          get upstream() {
            return upstream();
          },
          get held() {
            return held();
          },
          doubtful: false,
          heldUntil: 0,
          unavailable: false,
          refusal: replies.noPrimary,
          holdMs: HOLD_MS,
        },
      ],
      isCluster: false,
      credentials: { turns: new LoginTurns(this.clock, silentLog) },
      counters: new Counters(),
      scripts: {
        add: () => undefined,
        touch: () => undefined,
        clear: () => undefined,
        knows: () => false,
        beginFlush: () => () => undefined,
        awaits: () => undefined,
      },
      scans: [{ route: () => undefined }],
      mayPin: true,
      memory: this.memory,
    };
  }
}

/** Two engines that answer a request when the test says so, and the question for their role when it is known. */
class Engines implements AsyncDisposable {
  readonly former: ScriptedEngine;
  readonly next: ScriptedEngine;
  readonly #role = Promise.withResolvers<string>();
  readonly #owed: { readonly name: string; readonly resolve: (reply: string) => void }[] = [];

  constructor(former: ScriptedEngine, next: ScriptedEngine) {
    this.former = former;
    this.next = next;
    for (const engine of [former, next]) engine.answer = ([name = ""]) => this.#answer(name);
  }

  sayRole(role: "master" | "slave"): void {
    const info = `role:${role}\r\nloading:0\r\n`;
    this.#role.resolve(`$${info.length}\r\n${info}\r\n`);
  }

  /** A request of that name has no reply. */
  owes(name: string): boolean {
    return this.#owed.some((one) => one.name === name);
  }

  /** Answers the first request of that name, as soon as it has come. */
  async reply(name: string, reply: string): Promise<void> {
    await until(`${name} has come`, () => this.owes(name));
    const at = this.#owed.findIndex((one) => one.name === name);
    this.#owed.splice(at, 1)[0]?.resolve(reply);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.former[Symbol.asyncDispose](), this.next[Symbol.asyncDispose]()]);
  }

  #answer(name: string): Promise<string> {
    if (name === "INFO") return this.#role.promise;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#owed.push({ name, resolve });
    return promise;
  }
}

function clientIdentity(): ClientIdentity {
  const library = { name: "", version: "" };
  return {
    id: 1,
    address: "127.0.0.1:1",
    localAddress: "127.0.0.1:2",
    since: 0,
    name: Buffer.alloc(0),
    library,
    authenticated: true,
    user: undefined,
    settings: DEFAULT_SETTINGS,
    ofCluster: undefined,
    lastCommand: "",
    lastAt: 0,
  };
}
