import type { Socket } from "node:net";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { starterRequest } from "../../core/api/starter-messages.ts";
import type { StarterReport, StarterRequest } from "../../core/api/starter-messages.ts";
import type { Clock } from "#kit/base/clock";
import { messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { engineText } from "../../core/releases/engines/engines.ts";
import { memoryLimit } from "#kit/processes/memory-limit";
import { shareWithGroup } from "../../mechanisms/starter/group-access.ts";
import { readLines, writeLine } from "../../mechanisms/starter/lines.ts";
import { meetAgent } from "../../mechanisms/starter/meeting-place.ts";
import { engineChildren, type EngineProcess } from "../../mechanisms/supervisor/engine-process.ts";
import type { FoundEngine } from "../../mechanisms/supervisor/engines.ts";
import { instanceFiles } from "../../mechanisms/supervisor/instance-files.ts";
import type { StarterConfig } from "./config.ts";

/** What a starter works with. */
export interface StarterDeps {
  readonly config: StarterConfig;
  /** Those of its image: it starts no other. */
  readonly engines: readonly FoundEngine[];
  readonly clock: Clock;
  readonly log: Log;
}

const RETRY_MS = 100;
const MEMORY_MS = 5_000;

/**
 * Starts and ends engines on the word of the agent of the pod. Resolves when that agent has ended, and all engines with it, or when
 * `signal` aborts before there was one: an agent that stops ends its engines itself.
 */
export async function runStarter(deps: StarterDeps, signal: AbortSignal): Promise<void> {
  const socket = await awaitAgent(deps, signal);
  if (socket !== undefined) await new Starter(deps, socket).serve();
}

async function awaitAgent({ config, clock, log }: StarterDeps, signal: AbortSignal): Promise<Socket | undefined> {
  let said = "";
  while (!signal.aborted) {
    try {
      return await meetAgent(config.sharedDir, config.agentUid);
    } catch (error) {
      if (messageOf(error) !== said) log.info("no agent to start engines for yet", { why: messageOf(error) });
      said = messageOf(error);
      await clock.sleep(RETRY_MS, signal).catch(() => undefined); // aborted: the loop looks
    }
  }
  return undefined;
}

type StartRequest = Extract<StarterRequest, { readonly do: "start" }>;

/** What the agent asks for over one connection. */
class Starter {
  readonly #deps: StarterDeps;
  readonly #socket: Socket;
  readonly #engines = new Map<number, EngineProcess>();
  readonly #runs = new Set<Promise<void>>();

  constructor(deps: StarterDeps, socket: Socket) {
    this.#deps = deps;
    this.#socket = socket;
  }

  /** Until the agent has ended. */
  async serve(): Promise<void> {
    const { log, clock } = this.#deps;
    const ended = new AbortController();
    const closed = new Promise<void>((resolve) => this.#socket.once("close", () => resolve()));
    this.#socket.on("error", (error) => log.warn("the connection to the agent has failed", { error }));
    readLines(this.#socket, (line) => this.#take(starterRequest(line)));
    void this.#reportMemory(clock, ended.signal);
    await closed;
    ended.abort();
    log.info("the agent has ended", { engines: this.#engines.size });
    for (const engine of this.#engines.values()) engine.signal("SIGKILL");
    await Promise.all(this.#runs);
  }

  /** False for what is none. */
  #take(request: StarterRequest | undefined): boolean {
    if (request?.do === "signal") this.#engines.get(request.id)?.signal(request.signal);
    if (request?.do === "start") this.#keep(this.#run(request));
    return request !== undefined;
  }

  #keep(run: Promise<void>): void {
    this.#runs.add(run);
    void run.finally(() => this.#runs.delete(run));
  }

  /** One engine, from the request to its end; never rejects. */
  async #run(request: StartRequest): Promise<void> {
    const { log } = this.#deps;
    const { id } = request;
    try {
      const { engine, directory } = await this.#checked(request);
      const share = () => shareWithGroup(directory.files.directory);
      // data of an engine that was killed here
      await share();
      const child = await engineChildren(log).start(engine, directory);
      this.#engines.set(id, child);
      if (this.#socket.destroyed) child.signal("SIGKILL");
      this.#report({ is: "started", id, pid: child.pid });
      const { code, signal } = await child.exited;
      this.#engines.delete(id);
      await share().catch((error: unknown) => log.warn("files of an engine cannot be shared", { ...request, error }));
      this.#report({ is: "exited", id, ...(signal === undefined ? { code: code ?? 1 } : { signal }) });
    } catch (error) {
      log.warn("an engine cannot be started", { ...request, error });
      this.#report({ is: "failed", id, why: messageOf(error).slice(0, 1_000) });
    }
  }

  /** An engine of this image, with the configuration in a folder of the data that is no link to another one. */
  async #checked({ engine: name, bdb, instance }: StartRequest) {
    const { config, engines } = this.#deps;
    const engine = engines.find((one) => engineText(one) === name);
    if (engine === undefined) throw new Error(`no engine ${name} in this image: ${engines.map(engineText).join(", ")}`);
    const files = instanceFiles(config.dataDir, bdb, instance);
    const inside = join(await realpath(config.dataDir), `db-${bdb}`, String(instance));
    if ((await realpath(files.directory)) !== inside) throw new Error(`${files.directory} is a link to another folder`);
    return { engine, directory: { bdb, instance, files } };
  }

  /** Kubernetes may change the limit while the container runs. */
  async #reportMemory(clock: Clock, signal: AbortSignal): Promise<void> {
    let said: number | undefined;
    while (!signal.aborted) {
      const memory = memoryLimit(this.#deps.config.root);
      if (memory !== said) this.#report({ is: "ready", memory });
      said = memory;
      await clock.sleep(MEMORY_MS, signal).catch(() => undefined); // aborted: the loop looks
    }
  }

  #report(report: StarterReport): void {
    writeLine(this.#socket, report);
  }
}
