import { connect } from "node:net";
import type { Socket } from "node:net";
import type { TcpAddress } from "./address.ts";

/** A backend that neither accepts nor refuses for this long is passed over. */
const CONNECT_MS = 3_000;

/** A connection to the first of `backends` that takes one; throws what the last one said when none does. */
export async function connectAny(client: Socket, backends: readonly TcpAddress[]): Promise<Socket> {
  let reason: unknown = new Error("the service has no endpoints");
  for (const backend of backends) {
    if (client.destroyed) throw new Error("the client went away");
    try {
      return await connectTo(backend);
    } catch (error) {
      reason = error; // the next one may be alive
    }
  }
  throw reason;
}

/**
 * Carries bytes both ways with back-pressure. The end of one direction is passed on after its last byte while the other
 * direction flows on; a reset of one side resets the other.
 */
export function joinSockets(client: Socket, backend: Socket): void {
  passFailures(client, backend);
  passFailures(backend, client);
  if (client.destroyed) {
    backend.resetAndDestroy();
    return;
  }
  client.pipe(backend);
  backend.pipe(client);
}

function passFailures(from: Socket, to: Socket): void {
  from.on("error", () => {
    // the error is for the other side to see; this process has no use for it
    to.resetAndDestroy();
  });
  from.on("close", () => {
    // closed in mid-flow; one that ended has been passed on already, and its last bytes may still be under way
    if (!to.writableEnded) to.destroy();
  });
}

async function connectTo({ host, port }: TcpAddress): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const settle = (error: Error | undefined): void => {
      clearTimeout(timer);
      socket.off("connect", onConnect).off("error", settle);
      if (error === undefined) {
        resolve(socket);
        return;
      }
      // a late refusal has no waiter
      socket.on("error", () => undefined).destroy();
      reject(error);
    };
    const onConnect = (): void => {
      settle(undefined);
    };
    const timer = setTimeout(() => {
      settle(new Error(`${host}:${port} did not answer within ${CONNECT_MS} ms`));
    }, CONNECT_MS);
    socket.on("connect", onConnect).on("error", settle);
  });
}
