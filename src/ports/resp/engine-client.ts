import { connect } from "node:net";
import type { Socket } from "node:net";
import { Fault, messageOf } from "../../core/base/fault.ts";
import { ReplyDecoder } from "./decode.ts";
import type { BulkForm } from "./decode.ts";
import { encodeCommand } from "./encode.ts";
import type { Arg } from "./encode.ts";
import { faults } from "./faults.ts";
import { Push, ReplyError } from "./reply.ts";
import type { Reply } from "./reply.ts";

export interface EngineAddress {
  readonly host: string;
  readonly port: number;
  /** Of the engine's default user; absent or empty when it has none. */
  readonly password?: string | undefined;
}

export interface EngineOptions extends EngineAddress {
  /** For connecting and authenticating together, and for each command. */
  readonly timeoutMs: number;
  /** Closes the connection when it aborts; what is outstanding fails with RESP_CLOSED. */
  readonly signal?: AbortSignal | undefined;
  /** How bulk strings of replies are given; text when absent. */
  readonly bulk?: BulkForm | undefined;
}

/**
 * A control connection to one engine. Each command is sent at most once: after RESP_TIMEOUT or RESP_CLOSED its outcome
 * is unknown, and the caller must read the engine's state.
 */
export interface EngineClient {
  /** Sends at once, also while other replies are outstanding. An error reply is RESP_ERROR_REPLY, see `engineCodeOf`. */
  call(...args: readonly Arg[]): Promise<Reply>;
  /** Resolves with the reason when the connection is over, for whatever reason; never rejects. */
  readonly closed: Promise<Fault>;
  close(): void;
}

/** Connects and authenticates. RESP_CONNECT when the engine does not answer in time, RESP_ERROR_REPLY when the password is wrong. */
export async function connectEngine(options: EngineOptions): Promise<EngineClient> {
  const socket = await dial(options);
  const client = new Client(socket, options);
  if (options.password !== undefined && options.password !== "") await client.authenticate(options.password);
  return client;
}

/** One command on a connection of its own. */
export async function callEngine(options: EngineOptions, ...args: readonly Arg[]): Promise<Reply> {
  const client = await connectEngine(options);
  try {
    return await client.call(...args);
  } finally {
    client.close();
  }
}

/** The first word of the engine's error reply, for instance NOAUTH, when `error` is one. */
export function engineCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Fault) || error.code !== faults.errorReply.code) return undefined;
  return typeof error.details.engineCode === "string" ? error.details.engineCode : undefined;
}

interface Waiting {
  readonly name: string;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (fault: Fault) => void;
}

class Client implements EngineClient {
  readonly closed: Promise<Fault>;
  readonly #socket: Socket;
  readonly #where: string;
  readonly #timeoutMs: number;
  readonly #waiting: Waiting[] = [];
  readonly #decoder: ReplyDecoder;
  #end: Fault | undefined;

  constructor(socket: Socket, options: EngineOptions) {
    this.#socket = socket;
    this.#where = `${options.host}:${options.port}`;
    this.#timeoutMs = options.timeoutMs;
    this.#decoder = new ReplyDecoder(options.bulk);
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
      if (this.#end !== undefined) {
        reject(this.#end);
        return;
      }
      const name = String(args[0]);
      const timer = setTimeout(() => {
        this.#expire(name);
      }, this.#timeoutMs);
      this.#waiting.push({ name, timer, resolve, reject });
      this.#socket.write(encodeCommand(args));
    });
  }

  async authenticate(password: string): Promise<void> {
    try {
      await this.call("AUTH", password);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#over(this.#fault(`The connection to ${this.#where} was closed on this side.`));
    this.#socket.destroy();
  }

  #receive(bytes: Uint8Array): void {
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
    clearTimeout(waiting.timer);
    if (reply instanceof ReplyError) waiting.reject(refused(waiting.name, this.#where, reply));
    else waiting.resolve(reply);
  }

  #expire(name: string): void {
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
    for (const waiting of this.#waiting.splice(0)) {
      clearTimeout(waiting.timer);
      waiting.reject(this.#end);
    }
    return this.#end;
  }

  #fault(message: string): Fault {
    return new Fault(faults.closed, message, { where: this.#where });
  }
}

function refused(name: string, where: string, reply: ReplyError): Fault {
  return new Fault(faults.errorReply, `${where} answered ${name} with: ${reply.message}`, {
    command: name,
    where,
    engineCode: reply.code,
  });
}

function dial({ host, port, timeoutMs, signal }: EngineOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    const timer = setTimeout(() => {
      fail(`no answer within ${timeoutMs} ms`);
    }, timeoutMs);
    const abort = (): void => {
      fail(`given up: ${messageOf(signal?.reason)}`);
    };
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      socket.removeAllListeners();
    };
    const fail = (why: string): void => {
      settle();
      // a socket that is destroyed while it connects may still emit an error
      socket.on("error", () => undefined);
      socket.destroy();
      reject(new Fault(faults.connect, `Cannot connect to ${host}:${port}: ${why}.`, { host, port }));
    };
    socket.once("connect", () => {
      settle();
      resolve(socket);
    });
    socket.once("error", (error) => {
      fail(error.message);
    });
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted === true) abort();
  });
}
