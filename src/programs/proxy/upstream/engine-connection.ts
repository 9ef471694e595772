import type { Socket } from "node:net";
import { Fault, messageOf } from "#kit/base/fault";
import type { EngineLogin } from "../../../core/api/engine-login.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import type { Arg } from "../../../ports/resp/encode.ts";
import { FrameScanner, INCOMPLETE } from "../../../ports/resp/frame-scanner.ts";
import { beginSocket } from "../../../ports/resp/dial.ts";
import type { SocketTarget } from "../../../ports/resp/dial.ts";
import { faults } from "../faults.ts";

/** How to dial an engine. */
export interface DialOptions {
  readonly address: SocketTarget;
  /** Tried in this order; an empty password stands for none. */
  readonly logins: readonly EngineLogin[];
  readonly protocol: number;
  readonly database: number;
  readonly timeoutMs: number;
  /** What the engine lists the connection as. */
  readonly name: string;
  /** It is of use only at an engine that is a primary when it is dialled. */
  readonly mustLead: boolean;
}

/** A connection that is authenticated, has the protocol and database it was dialled with, and has nothing outstanding. */
export interface EngineConnection {
  readonly socket: Socket;
  /** The engine's own answer to HELLO. */
  readonly hello: Buffer;
  /** The engine's CLIENT ID of this connection. */
  readonly id: number;
}

/** Dials an engine; PROXY_TARGET_UNREACHABLE when it cannot be reached, refuses, with its answer in the details, or is no primary although it must be. */
export async function dialEngine(options: DialOptions): Promise<EngineConnection> {
  const [login, ...others] = options.logins;
  try {
    return await dialWith(options, login);
  } catch (error) {
    if (others.length === 0 || !/^-(?:WRONGPASS|NOAUTH) /.test(dialRefusal(error)?.toString() ?? "")) throw error;
    return dialEngine({ ...options, logins: others });
  }
}

async function dialWith(options: DialOptions, login: EngineLogin | undefined): Promise<EngineConnection> {
  const socket = await dial(options);
  const auth = login === undefined || login.password === "" ? [] : ["AUTH", login.user, login.password];
  const commands: Arg[][] = [["HELLO", options.protocol, ...auth, "SETNAME", options.name]];
  if (options.database > 0) commands.push(["SELECT", options.database]);
  try {
    const frames = await exchange(socket, commands, options.timeoutMs);
    const refused = frames.find((frame) => frame[0] === MINUS);
    if (refused !== undefined) throw unreachable(options, "it refuses the connection", { answer: refused });
    const [hello = Buffer.alloc(0)] = frames;
    if (options.mustLead && !HELLO_OF_PRIMARY.test(hello.toString("latin1")))
      throw unreachable(options, "it is no primary");
    // an engine that runs a script answers HELLO, and no question for the number alone
    const id = Number(/\r\nid\r\n:(\d+)/.exec(hello.toString("latin1"))?.[1] ?? 0);
    return { socket, hello, id };
  } catch (error) {
    socket.destroy();
    throw error instanceof Fault ? error : unreachable(options, messageOf(error));
  }
}

/** The engine's error reply, when that made a dial fail. */
export function dialRefusal(error: unknown): Buffer | undefined {
  return error instanceof Fault && Buffer.isBuffer(error.details.answer) ? error.details.answer : undefined;
}

const MINUS = 45;
const HELLO_OF_PRIMARY = /\r\nrole\r\n\$6\r\nmaster\r\n/;

function dial(options: DialOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { socket, ready } = beginSocket(options.address);
    socket.setTimeout(options.timeoutMs, () => socket.destroy(new Error(`no answer within ${options.timeoutMs} ms`)));
    socket.once("error", (error) => {
      reject(unreachable(options, error.message));
    });
    socket.once(ready, () => {
      socket.setTimeout(0);
      socket.removeAllListeners();
      resolve(socket);
    });
  });
}

/** Sends the commands together and collects as many replies. */
function exchange(socket: Socket, commands: readonly Arg[][], timeoutMs: number): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const scanner = new FrameScanner();
    const frames: Buffer[] = [];
    let carried: Buffer = Buffer.alloc(0);
    const fail = (error: Error): void => {
      socket.removeAllListeners();
      socket.on("error", () => undefined); // it is being destroyed by the caller
      reject(error);
    };
    socket.setTimeout(timeoutMs, () => {
      fail(new Error(`no answer within ${timeoutMs} ms`));
    });
    socket.once("error", fail);
    socket.once("close", () => {
      fail(new Error("it closed the connection"));
    });
    socket.on("data", (bytes: Buffer) => {
      let start = 0;
      try {
        for (let past = 0; (past = scanner.next(bytes, start, bytes.length)) !== INCOMPLETE; start = past) {
          frames.push(Buffer.concat([carried, bytes.subarray(start, past)]));
          carried = Buffer.alloc(0);
        }
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      carried = Buffer.concat([carried, bytes.subarray(start)]);
      if (frames.length < commands.length) return;
      socket.setTimeout(0);
      socket.removeAllListeners();
      resolve(frames);
    });
    for (const command of commands) socket.write(encodeCommand(command));
  });
}

function unreachable({ address }: DialOptions, why: string, details: Readonly<Record<string, unknown>> = {}): Fault {
  const { host, port } = address;
  return new Fault(faults.notPrepared, `The engine at ${host}:${port} cannot be used: ${why}.`, {
    host,
    port,
    ...details,
  });
}
