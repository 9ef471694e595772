import type { Socket } from "node:net";
import { Fault } from "#kit/base/fault";
import type { BulkForm } from "./decode.ts";
import { encodeCommands } from "./encode.ts";
import type { Arg, ArgEncoding } from "./encode.ts";
import { faults } from "./faults.ts";
import { startPatience } from "#kit/timing/patience";
import { Push, ReplyError } from "./reply.ts";
import type { Reply } from "./reply.ts";
import { ReplyDecoder } from "./reply-decoder.ts";
import { WaitingCalls, type WaitingCall } from "./waiting-calls.ts";

/** How to use a connection to an engine. */
export interface CommandSocketOptions {
  readonly host: string;
  readonly port: number;
  /** For each command. */
  readonly timeoutMs: number;
  /** Closes the connection when it aborts; what is outstanding fails with RESP_CLOSED. */
  readonly signal?: AbortSignal | undefined;
  /** How bulk strings of replies are given; text, of at most 32 MiB a reply, when absent. Data of clients are bytes. */
  readonly bulk?: BulkForm | undefined;
}

/**
 * What an engine says of itself is far less. One that was taken over could fill the memory of its agent otherwise, which serves other
 * databases too.
 */
const MOST_TEXT_BYTES = 32 * 1024 * 1024;

/** The connection to an engine with the commands that wait for a reply. */
export class CommandSocket {
  readonly closed: Promise<Fault>;
  readonly #socket: Socket;
  readonly #where: string;
  readonly #timeoutMs: number;
  readonly #waiting = new WaitingCalls();
  readonly #decoder: ReplyDecoder;
  #end: Fault | undefined;

  constructor(socket: Socket, options: CommandSocketOptions) {
    this.#socket = socket;
    this.#where = `${options.host}:${options.port}`;
    this.#timeoutMs = options.timeoutMs;
    const isData = options.bulk === "bytes";
    this.#decoder = new ReplyDecoder(options.bulk, isData ? undefined : { maxFrameBytes: MOST_TEXT_BYTES });
    const abort = (): void => {
      this.close();
    };
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        options.signal?.removeEventListener("abort", abort);
        resolve(this.#over(this.#fault(`The connection to ${this.#where} ended.`)));
      });
    });
    socket.on("error", (error) =>
      this.#over(this.#fault(`The connection to ${this.#where} failed: ${error.message}.`)),
    );
    socket.on("data", (bytes) => {
      this.#receive(bytes);
    });
    options.signal?.addEventListener("abort", abort, { once: true });
    if (options.signal?.aborted === true) this.close();
  }

  call(...args: readonly Arg[]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const take = (outcome: Reply | Fault): void => {
        if (outcome instanceof Fault) reject(outcome);
        else resolve(outcome);
      };
      this.#send([args], "utf8", take, reject);
    });
  }

  callAll(commands: readonly (readonly Arg[])[], encoding: ArgEncoding): Promise<readonly (Reply | Fault)[]> {
    return new Promise((resolve, reject) => {
      const outcomes: (Reply | Fault)[] = [];
      const take = (outcome: Reply | Fault): void => {
        outcomes.push(outcome);
        if (outcomes.length === commands.length) resolve(outcomes);
      };
      this.#send(commands, encoding, take, reject);
    });
  }

  close(): void {
    this.#over(this.#fault(`The connection to ${this.#where} was closed on this side.`));
    this.#socket.destroy();
  }

  /** `take` has the outcomes in the order of the commands, and `fail` each that never comes. */
  #send(
    commands: readonly (readonly Arg[])[],
    encoding: ArgEncoding,
    take: WaitingCall["take"],
    fail: WaitingCall["fail"],
  ): void {
    if (this.#end !== undefined) {
      fail(this.#end);
      return;
    }
    const endPatience = startPatience(this.#timeoutMs, () => {
      this.#expire();
    });
    let left = commands.length;
    const answered: WaitingCall["take"] = (outcome) => {
      left -= 1;
      if (left === 0) endPatience();
      take(outcome);
    };
    const failed: WaitingCall["fail"] = (fault) => {
      endPatience();
      fail(fault);
    };
    for (const [name] of commands) this.#waiting.push({ name: String(name), take: answered, fail: failed });
    this.#socket.write(encodeCommands(commands, encoding));
  }

  #receive(bytes: Buffer): void {
    try {
      for (const reply of this.#decoder.push(bytes)) {
        if (!(reply instanceof Push)) this.#settle(reply);
      }
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#over(error);
      this.#socket.destroy();
    }
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    waiting.take(reply instanceof ReplyError ? replyFault(waiting.name, this.#where, reply) : reply);
  }

  #expire(): void {
    const name = this.#waiting.first?.name ?? "";
    this.#over(
      new Fault(faults.timeout, `${this.#where} did not answer ${name} within ${this.#timeoutMs} ms.`, {
        command: name,
        where: this.#where,
        timeoutMs: this.#timeoutMs,
      }),
    );
    this.#socket.destroy();
  }

  #over(why: Fault): Fault {
    this.#end ??= why;
    for (let waiting = this.#waiting.shift(); waiting !== undefined; waiting = this.#waiting.shift()) {
      waiting.fail(this.#end);
    }
    return this.#end;
  }

  #fault(message: string): Fault {
    return new Fault(faults.closed, message, { where: this.#where });
  }
}

/** Engines say why in a sentence; what one says that was taken over ends up in logs and records. */
const MOST_ERROR_CHARACTERS = 4_096;

function replyFault(name: string, where: string, { message, code }: ReplyError): Fault {
  const answer = message.slice(0, MOST_ERROR_CHARACTERS);
  return new Fault(faults.errorReply, `${where} answered ${name} with: ${answer}`, {
    command: name,
    where,
    engineCode: code.slice(0, MOST_ERROR_CHARACTERS),
    answer,
  });
}
