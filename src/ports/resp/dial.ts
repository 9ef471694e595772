import { connect } from "node:net";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { Fault, messageOf } from "#kit/base/fault";
import type { EngineTls } from "./engine-tls.ts";
import { faults } from "./faults.ts";
import { startPatience } from "#kit/timing/patience";

/** Where a socket leads. */
export interface SocketTarget {
  readonly host: string;
  readonly port: number;
  /** Present when the port speaks TLS. */
  readonly tls?: EngineTls | undefined;
}

export interface DialTarget extends SocketTarget {
  readonly timeoutMs: number;
  /** Ends the attempt when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** A connected socket; RESP_CONNECT when there is none in time, its detail `refused` true when nothing listens there. */
export function dialSocket({ host, port, tls, timeoutMs, signal }: DialTarget): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { socket, ready } = beginSocket({ host, port, tls });
    const endPatience = startPatience(timeoutMs, () => {
      fail(`no answer within ${timeoutMs} ms`);
    });
    const abort = (): void => {
      fail(`given up: ${messageOf(signal?.reason)}`);
    };
    const settle = (): void => {
      endPatience();
      signal?.removeEventListener("abort", abort);
      socket.removeAllListeners();
    };
    const fail = (why: string, refused = false): void => {
      settle();
      // a socket that is destroyed while it connects may still emit an error
      socket.on("error", () => undefined);
      socket.destroy();
      reject(new Fault(faults.connect, `Cannot connect to ${host}:${port}: ${why}.`, { host, port, refused }));
    };
    socket.once(ready, () => {
      settle();
      resolve(socket);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      fail(error.message, error.code === "ECONNREFUSED");
    });
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted === true) abort();
  });
}

/** A socket that is being connected, and the event after which it can be used; RESP_NO_CERTIFICATE when it lacks one for TLS. */
export function beginSocket({ host, port, tls }: SocketTarget): {
  readonly socket: Socket;
  readonly ready: "connect" | "secureConnect";
} {
  if (tls === undefined) return { socket: connect({ host, port, noDelay: true, ...KEEP_ALIVE }), ready: "connect" };
  const socket = connectTls({ host, port, ...tls.options });
  // options of the plain socket that TLS does not pass on
  socket.once("connect", () => {
    socket.setNoDelay(true);
    socket.setKeepAlive(KEEP_ALIVE.keepAlive, KEEP_ALIVE.keepAliveInitialDelay);
  });
  return { socket, ready: "secureConnect" };
}

/**
 * For sockets of both sides: a peer that has vanished without a word is gone within a minute. After 30 s of silence it is asked
 * ten times, each second; Node.js fixes the ten and the second.
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelay: 30_000 } as const;
