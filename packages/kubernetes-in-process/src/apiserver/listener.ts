import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { Fault } from "../../../controller-kit/src/base/fault.ts";
import type { ServerCredentials } from "./auth/server-credentials.ts";
import type { ServerContext } from "./context/server-context.ts";
import { createDiscovery } from "./discovery/paths.ts";
import { faults } from "./faults.ts";
import { handle } from "./handle.ts";

/** The HTTPS server that answers every request; `address` is where it will listen. */
export function createListener(
  context: ServerContext,
  { authority, server: pair }: ServerCredentials,
  address: () => string,
): Server {
  const discovery = createDiscovery(context.registry, context.kubernetesVersion, address);
  const server = createServer(
    {
      cert: pair.certificate,
      key: pair.key,
      ca: authority.certificate,
      requestCert: true,
      // clients without a certificate may still bring a token
      rejectUnauthorized: false,
      minVersion: "TLSv1.2",
    },
    (request, response) => {
      // a client that goes while we answer is no fault of ours; `close` follows and ends the work
      response.on("error", () => undefined);
      void handle(context, discovery, request, response);
    },
  );
  server.requestTimeout = 0;
  server.keepAliveTimeout = 120_000;
  return server;
}

/** Listens and gives the URL; APISERVER_ADDRESS_TAKEN when that is not possible. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      reject(new Fault(faults.addressTaken, `cannot listen on ${host}:${port}`, { host, port }, error));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return `https://${host}:${isAddress(address) ? address.port : port}`;
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}

/** Stops listening; connections that still send a moment later are cut. */
export async function closeListener(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeIdleConnections();
    // watches have been asked to end; what still sends a moment later is cut
    setTimeout(() => {
      server.closeAllConnections();
    }, 200).unref();
  });
}
