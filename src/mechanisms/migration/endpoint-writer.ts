import { Fault, messageOf } from "#kit/base/fault";
import { faults } from "../../core/migration/faults.ts";
import { connectEngine, errorReplyOf, type EngineAddress, type EngineClient } from "../../ports/resp/engine-client.ts";
import type { Arg } from "../../ports/resp/encode.ts";
import { Wakeup } from "../site/operations/wakeup.ts";

/** Writes into a database by its endpoint, in order: some batches at a time are on their way, and no more is kept. */
export class EndpointWriter {
  readonly #client: EngineClient;
  readonly #changed = new Wakeup();
  #database = 0;
  #commands: (readonly Arg[])[] = [];
  #bytes = 0;
  #unanswered = 0;
  #last: Promise<void> = Promise.resolve();
  #fault: Fault | undefined;

  private constructor(client: EngineClient) {
    this.#client = client;
  }

  /** Connects as the address says. */
  static async open(address: EngineAddress): Promise<EndpointWriter> {
    return new EndpointWriter(await connectEngine({ ...address, timeoutMs: ANSWER_MS, bulk: "bytes" }));
  }

  /** One more command, whose words have so many bytes. Their memory must not change before it was answered. */
  put(database: number, words: readonly Arg[], bytes: number): void {
    if (database !== this.#database) this.#commands.push(["SELECT", database]);
    this.#database = database;
    this.#commands.push(words);
    this.#bytes += bytes;
    if (this.#bytes >= BATCH_BYTES || this.#commands.length >= BATCH_COMMANDS) this.flush();
  }

  /** Sends what was put; `answered` is told when the endpoint has taken that, and all before. */
  flush(answered: () => void = () => undefined): void {
    const [commands, bytes] = [this.#commands, this.#bytes];
    this.#commands = [];
    this.#bytes = 0;
    this.#unanswered += bytes;
    const sent = commands.length === 0 ? Promise.resolve([]) : this.#client.callAll(commands, "latin1");
    this.#last = Promise.all([sent, this.#last]).then(
      ([outcomes]) => {
        this.#unanswered -= bytes;
        this.#note(commands, outcomes);
        if (this.#fault === undefined) answered();
        this.#changed.wake();
      },
      (error: unknown) => {
        this.#end(new Fault(faults.endpointGone, `The endpoint is not written to any more: ${messageOf(error)}`));
      },
    );
  }

  /** Waits until more may be put; the fault when the endpoint has refused something, or is gone. */
  async room(): Promise<void> {
    while (this.#fault === undefined && this.#unanswered > MOST_UNANSWERED_BYTES) await this.#changed.next();
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** Waits until all that was put is answered. */
  async settle(): Promise<void> {
    this.flush();
    await this.#last;
    await this.room();
  }

  close(): void {
    this.#client.close();
  }

  #note(commands: readonly (readonly Arg[])[], outcomes: readonly unknown[]): void {
    const at = outcomes.findIndex((outcome) => outcome instanceof Fault);
    if (at < 0) return;
    const name = String(commands[at]?.[0] ?? "");
    const said = errorReplyOf(outcomes[at]) ?? messageOf(outcomes[at]);
    this.#end(new Fault(faults.refusedWrite, `The endpoint has answered ${name} with: ${said}`));
  }

  #end(fault: Fault): void {
    this.#fault ??= fault;
    this.#changed.wake();
  }
}

const ANSWER_MS = 120_000;
const BATCH_BYTES = 65_536;
const BATCH_COMMANDS = 256;
const MOST_UNANSWERED_BYTES = 4 * 1024 * 1024;
