import { once } from "node:events";
import type { TLSSocket } from "node:tls";
import type { LinkCertificate } from "../../../src/ports/management/link-control.ts";
import type { Address } from "../../../src/ports/management/proxy-control.ts";
import { issue } from "#kit/pki/authority";
import { linkServer } from "../../../src/programs/link/transport/trust.ts";
import { loopbackAddress } from "../engines/engine.ts";
import { authorityNamed } from "../tls/certificates.ts";

const authority = authorityNamed("own");

/** The certificate that all ends of a test show. */
export const ownCertificate: LinkCertificate = {
  ...issue(authority, {
    commonName: "here.example",
    dnsNames: ["here.example"],
    ipAddresses: [],
    usages: ["server", "client"],
    now: new Date(),
    days: 1,
  }),
  authorities: authority.certificate,
  serverName: "here.example",
};

/** Where links connect; a connection that cannot be served is closed, as a link does. */
export interface Listening extends AsyncDisposable {
  readonly at: Address;
  /** Aborted when it ends. */
  readonly signal: AbortSignal;
}

/** Listens at an address of its own. */
export async function listening(serve: (socket: TLSSocket, signal: AbortSignal) => Promise<void>): Promise<Listening> {
  const ending = new AbortController();
  const sockets = new Set<TLSSocket>();
  const server = linkServer(ownCertificate, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined); // who reads sees that it has ended
    void serve(socket, ending.signal).catch(() => socket.destroy());
  });
  const at = { host: loopbackAddress(), port: 9444 };
  await once(server.listen(at.port, at.host), "listening");
  return {
    at,
    signal: ending.signal,
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
