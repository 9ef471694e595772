import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import { LONGEST_STARTER_MESSAGE, starterReport } from "../../core/api/starter-messages.ts";
import type { StarterReport, StarterRequest } from "../../core/api/starter-messages.ts";
import { assertNever } from "#kit/base/assert-never";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { engineText } from "../../core/releases/engines/engines.ts";
import type { EngineProcess, EngineRunner } from "../supervisor/engine-process.ts";
import { faults } from "./faults.ts";
import { makeShared, shareWithGroup } from "./group-access.ts";
import { readLines, writeLine } from "./lines.ts";
import { openMeetingPlace } from "./meeting-place.ts";
import { StartedEngine } from "./started-engine.ts";

/** The container of the engines, as the agent of the pod sees it. */
export interface EngineContainer extends EngineRunner {
  /** Resolves when its starter is connected; at once while it is. */
  connected(): Promise<void>;
  /** What its processes may take together, in bytes, as its starter said last; 0 before it was connected. */
  memory(): number;
  /** Ends the connection: the starter ends its engines, as when the agent ends. */
  close(): void;
}

/** A starter that is started again is back before this, in milliseconds, unless Kubernetes waits because it has ended often. */
const RETURN_MS = 5_000;
/** A connection that is not that of a starter is ended after this. */
const READY_MS = 5_000;

/** Waits for the starter in the folder that the containers of the pod share. */
export async function engineContainer(shared: string, deps: { clock: Clock; log: Log }): Promise<EngineContainer> {
  const container = new Container(deps);
  const server = await openMeetingPlace(shared, (socket) => container.accept(socket));
  server.on("error", (error) => deps.log.warn("a starter cannot connect", { error }));
  return {
    fileMode: container.fileMode,
    connected: () => container.connected(),
    memory: () => container.memory(),
    start: (engine, directory) => container.start(engine, directory),
    close: () => {
      server.close();
      container.end();
    },
  };
}

class Container implements EngineRunner {
  readonly fileMode = 0o640;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #engines = new Map<number, StartedEngine>();
  #socket: Socket | undefined;
  #arrival = Promise.withResolvers<void>();
  #memory = 0;
  #lastId = 0;

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  connected(): Promise<void> {
    return this.#arrival.promise;
  }

  memory(): number {
    return this.#memory;
  }

  end(): void {
    this.#socket?.destroy();
  }

  /** An engine runs as long as the connection over which it was started. */
  accept(socket: Socket): void {
    socket.on("error", (error) => this.#log.warn("the connection to the starter has failed", { error }));
    if (this.#socket !== undefined) {
      this.#log.warn("a second connection as a starter is refused");
      socket.destroy();
      return;
    }
    this.#socket = socket;
    socket.setTimeout(READY_MS, () => socket.destroy());
    readLines(socket, (line) => {
      const report = starterReport(line);
      if (report !== undefined) this.#receive(report, socket);
      return report !== undefined;
    });
    socket.on("close", () => this.#gone());
  }

  async start(...[engine, { bdb, instance, files }]: Parameters<EngineRunner["start"]>): Promise<EngineProcess> {
    await shareDirectory(files.directory);
    await this.#present();
    const id = (this.#lastId += 1);
    const started = new StartedEngine((signal) => this.#send({ do: "signal", id, signal }));
    this.#engines.set(id, started);
    this.#send({ do: "start", id, engine: engineText(engine), bdb, instance });
    return started.running;
  }

  #receive(report: StarterReport, socket: Socket): void {
    switch (report.is) {
      case "ready":
        this.#memory = report.memory;
        socket.setTimeout(0);
        this.#arrival.resolve();
        return;
      case "started":
        this.#engines.get(report.id)?.began(report.pid);
        return;
      case "failed":
        this.#engines.get(report.id)?.failed(new Fault(faults.refused, report.why.slice(0, LONGEST_STARTER_MESSAGE)));
        this.#engines.delete(report.id);
        return;
      case "exited":
        this.#engines.get(report.id)?.ended({ code: report.code, signal: report.signal });
        this.#engines.delete(report.id);
        return;
      default:
        assertNever(report);
    }
  }

  /** Its engines have ended with it. */
  #gone(): void {
    this.#log.warn("the starter of the engines has ended, and its engines with it", { engines: this.#engines.size });
    this.#socket = undefined;
    this.#arrival = Promise.withResolvers();
    for (const engine of this.#engines.values()) {
      engine.failed(notThere());
      engine.ended({ code: undefined, signal: "SIGKILL" });
    }
    this.#engines.clear();
  }

  async #present(): Promise<void> {
    const patience = new AbortController();
    const late = this.#clock.sleep(RETURN_MS, patience.signal).then(
      () => {
        throw notThere();
      },
      () => undefined, // aborted below: it is there
    );
    try {
      await Promise.race([this.#arrival.promise, late]);
    } finally {
      patience.abort();
    }
  }

  #send(request: StarterRequest): void {
    writeLine(this.#socket, request);
  }
}

/** What older releases have left there too; the folder of the database above it is passed through. */
async function shareDirectory(directory: string): Promise<void> {
  await makeShared(dirname(dirname(directory)));
  await makeShared(dirname(directory));
  await makeShared(join(directory, "appendonlydir"));
  await shareWithGroup(directory);
}

function notThere(): Fault {
  return new Fault(faults.notThere, "the starter of the engines is not connected: no engine can be started or runs");
}
