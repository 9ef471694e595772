import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import { connectEngine, engineCodeOf } from "../../../ports/resp/engine-client.ts";
import type { EngineAddress, EngineClient } from "../../../ports/resp/engine-client.ts";
import { reportedEngine, parseInfo, replicationView } from "../../../ports/resp/info.ts";
import type { ReportedEngine, Info, ReplicationView } from "../../../ports/resp/info.ts";
import { modulesIn } from "../../../ports/resp/loaded-modules.ts";
import type { EngineModule } from "../../../ports/resp/loaded-modules.ts";
import { textOf } from "../../../ports/resp/reply.ts";
import { Question } from "../../../mechanisms/observe/question.ts";

/** What an engine answered, or how it failed to. */
export type EngineAnswer =
  | {
      readonly state: "serving";
      readonly engine: ReportedEngine;
      readonly replication: ReplicationView;
      /** It is a primary, or has been linked to its primary since it started or was last attached. */
      readonly hasData: boolean;
      /** Of the running process: it identifies the instance. */
      readonly configFile: string;
      /** All that INFO reports. */
      readonly info: Info;
      readonly modules: readonly EngineModule[];
    }
  /** Answers, but has to load its data first. */
  | { readonly state: "loading" }
  /** Answers that it runs a script, for so many milliseconds at least, and nothing else. */
  | { readonly state: "busy"; readonly forMs: number }
  /** No process listens there. */
  | { readonly state: "refused" }
  | { readonly state: "silent"; readonly why: string };

export interface EngineWatch {
  /** Asks over a connection that stays open; several callers at once share one request. One that did not answer the last time counts as silent after 100 ms. */
  ask(address: EngineAddress): Promise<EngineAnswer>;
  /** What the engine reports of itself, as far as its length is fixed; undefined when it does not answer. */
  measure(address: EngineAddress): Promise<Info | undefined>;
  /** Calls back when a connection to an engine ends: it may have died. */
  onDisconnect(listener: (engine: EngineAddress) => void): void;
  close(): void;
}

/** How long an engine may take to answer, in milliseconds. */
const DEADLINE_MS = 1_000;
const SECTIONS = ["server", "replication", "memory", "persistence", "keyspace", "modules"] as const;
/** Those of fixed length: others grow with what clients send, for instance with each error that a script of theirs makes up. */
const MEASURED = ["server", "clients", "memory", "persistence", "stats", "replication", "cpu", "keyspace"] as const;
/** A connection that is unused for this long is closed, in milliseconds. */
const IDLE_MS = 60_000;
/** Between two looks for such connections. */
const LOOK_MS = 1_000;

/** Keeps one control connection to each engine that is asked about. */
export function watchEngines({ clock }: { readonly clock: Clock }): EngineWatch {
  const connections = new Map<string, EngineConnection>();
  const listeners: ((engine: EngineAddress) => void)[] = [];
  let lookedAt = clock.uptimeMs();
  const forgetIdle = (now: number): void => {
    if (now - lookedAt < LOOK_MS) return;
    lookedAt = now;
    for (const [key, connection] of connections) {
      if (now - connection.usedAt < IDLE_MS) continue;
      connections.delete(key);
      connection.close();
    }
  };
  const connectionTo = (address: EngineAddress): EngineConnection => {
    const now = clock.uptimeMs();
    forgetIdle(now);
    const key = JSON.stringify([address.host, address.port, address.logins, address.tls !== undefined]);
    const connection =
      connections.get(key) ??
      new EngineConnection(address, clock, () => listeners.forEach((notify) => notify(address)));
    connections.set(key, connection);
    connection.usedAt = now;
    return connection;
  };
  return {
    ask: (address) => connectionTo(address).ask(),
    measure: (address) => connectionTo(address).measure(),
    onDisconnect: (listener) => {
      listeners.push(listener);
    },
    close: () => {
      for (const connection of connections.values()) connection.close();
      connections.clear();
    },
  };
}

class EngineConnection {
  usedAt = 0;
  readonly #question: Question<EngineAnswer>;
  readonly #address: EngineAddress;
  readonly #onLost: () => void;
  #client: Promise<EngineClient> | undefined;
  #asking: Promise<EngineAnswer> | undefined;
  #closed = false;
  #busySince: number | undefined;

  constructor(address: EngineAddress, clock: Clock, onDisconnect: () => void) {
    this.#address = address;
    this.#onLost = onDisconnect;
    this.#question = new Question(
      () => this.#shared(),
      ({ state }) => state === "silent",
      clock,
    );
  }

  ask(): Promise<EngineAnswer> {
    return this.#question.ask();
  }

  #shared(): Promise<EngineAnswer> {
    this.#asking ??= this.#requestInfo().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async measure(): Promise<Info | undefined> {
    try {
      const client = await this.#connected();
      return parseInfo(textOf(await client.call("INFO", ...MEASURED)));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return undefined; // what an engine does not report is not shown
    }
  }

  close(): void {
    this.#closed = true;
    // a connection that could not be made needs no closing
    this.#client?.then((client) => client.close()).catch(() => undefined);
  }

  async #requestInfo(): Promise<EngineAnswer> {
    try {
      const client = await this.#connected();
      const text = textOf(await client.call("INFO", ...SECTIONS));
      this.#busySince = undefined;
      return answerOf(parseInfo(text), modulesIn(text));
    } catch (error) {
      return engineCodeOf(error) === "BUSY" ? this.#busy() : failureOf(error);
    }
  }

  #busy(): EngineAnswer {
    const now = performance.now();
    this.#busySince ??= now;
    return { state: "busy", forMs: now - this.#busySince };
  }

  #connected(): Promise<EngineClient> {
    const opened = (this.#client ??= connectEngine({ ...this.#address, timeoutMs: DEADLINE_MS }));
    const forget = (): void => {
      if (this.#client === opened) this.#client = undefined;
    };
    opened
      .then((client) => client.closed)
      .then(() => {
        forget();
        if (!this.#closed) this.#onLost();
      })
      .catch(forget); // the caller of ask gets the reason
    return opened;
  }
}

function answerOf(info: Info, modules: readonly EngineModule[]): EngineAnswer {
  const engine = reportedEngine(info);
  const replication = replicationView(info);
  if (engine === undefined || replication === undefined)
    return { state: "silent", why: "INFO names no version or role" };
  if (info.get("loading") === "1" || info.get("async_loading") === "1") return { state: "loading" };
  return {
    state: "serving",
    engine,
    replication,
    hasData: replication.link === undefined || replication.link.status === "up" || wasLinked(info),
    configFile: info.get("config_file") ?? "",
    info,
    modules,
  };
}

/** Engines report -1 for a link that has never been up. */
function wasLinked(info: Info): boolean {
  return Number(info.get("master_link_down_since_seconds") ?? -1) >= 0;
}

function failureOf(error: unknown): EngineAnswer {
  if (!(error instanceof Fault)) throw error;
  if (engineCodeOf(error) === "LOADING") return { state: "loading" };
  if (error.details["refused"] === true) return { state: "refused" };
  return { state: "silent", why: error.message };
}
