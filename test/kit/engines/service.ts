import { createServer, connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";

/** What a Kubernetes Service is to a client: one address, and each new connection goes to one of those behind it. */
export interface TestService extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
}

/** Forwards each connection to the next of `targets`, asked anew each time. */
export async function startService(
  port: number,
  targets: () => Promise<readonly string[]>,
  host = "127.0.0.1",
): Promise<TestService> {
  const open = new Set<Socket>();
  let turn = 0;
  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    keep(client);
    targets().then(
      (addresses) => {
        const address = addresses[turn++ % addresses.length];
        if (address === undefined) return client.destroy();
        const behind = connect({ host: address, port, allowHalfOpen: true, noDelay: true });
        keep(behind);
        client.pipe(behind);
        behind.pipe(client);
        behind.once("close", () => client.destroy());
        client.once("close", () => behind.destroy());
        return undefined;
      },
      () => client.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const bound = server.address();
  return {
    host,
    port: isAddress(bound) ? bound.port : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function isAddress(bound: AddressInfo | string | null): bound is AddressInfo {
  return typeof bound === "object" && bound !== null;
}
