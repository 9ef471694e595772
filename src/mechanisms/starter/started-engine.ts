import type { EndSignal } from "../../core/api/starter-messages.ts";
import type { Exit } from "#kit/processes/child";
import type { EngineProcess } from "../supervisor/engine-process.ts";

/** An engine in another container, as what is said of it. */
export class StartedEngine implements EngineProcess {
  /** Resolves with itself when its process runs; rejects when it cannot be started. */
  readonly running: Promise<EngineProcess>;
  readonly exited: Promise<Exit>;
  pid = 0;
  readonly #running = Promise.withResolvers<EngineProcess>();
  readonly #exited = Promise.withResolvers<Exit>();
  readonly #send: (signal: EndSignal) => void;
  #state: ReturnType<EngineProcess["state"]> = "running";

  constructor(send: (signal: EndSignal) => void) {
    this.#send = send;
    this.running = this.#running.promise;
    this.exited = this.#exited.promise;
  }

  state = (): ReturnType<EngineProcess["state"]> => this.#state;

  signal = (signal: NodeJS.Signals): void => {
    if (this.#state === "exited" || (signal !== "SIGTERM" && signal !== "SIGKILL")) return;
    this.#state = signal === "SIGKILL" || this.#state === "killing" ? "killing" : "stopping";
    this.#send(signal);
  };

  began(pid: number): void {
    this.pid = pid;
    this.#running.resolve(this);
  }

  failed(why: Error): void {
    this.#running.reject(why);
  }

  /** At most one of the two is known. */
  ended({ code, signal }: { readonly code?: number | undefined; readonly signal?: string | undefined }): void {
    this.#state = "exited";
    // what is no name of a signal here was one on the other side, which runs the same program
    this.#exited.resolve({ code, signal: signal as NodeJS.Signals | undefined });
  }
}
