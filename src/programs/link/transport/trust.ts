import { X509Certificate } from "node:crypto";
import { connect, createServer, type TLSSocket, type TlsOptions } from "node:tls";
import type { Server } from "node:tls";
import { Fault } from "#kit/base/fault";
import { KEEP_ALIVE } from "../../../ports/resp/dial.ts";
import type { LinkCertificate } from "../../../ports/management/link-control.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { faults } from "../faults.ts";

/** How the other end of a connection is known. */
export interface Trusted {
  /** The authorities that must have signed its certificate, PEM; several in a row are possible. */
  readonly authorities: string;
  /** The name that the certificate must have. */
  readonly serverName: string;
}

const PROTOCOL = { minVersion: "TLSv1.3" } as const;
/** A handshake that takes longer is ended, in milliseconds. */
const HANDSHAKE_MS = 10_000;
/**
 * A connection that is not there after this time is tried anew, in milliseconds: while a network is cut the kernel asks again after 1, 3, 7
 * and 15 s, and would find out that late that it is back.
 */
const CONNECT_MS = 1_500;

/** Listens for links; a visitor is known by what it says, and checked with `checkPeer`. */
export function linkServer(own: LinkCertificate, accept: (socket: TLSSocket) => void): Server {
  const options: TlsOptions = {
    ...serverContext(own),
    requestCert: true,
    handshakeTimeout: HANDSHAKE_MS,
    noDelay: true,
    ...KEEP_ALIVE,
    // which authority counts depends on the site that the greeting names
    rejectUnauthorized: false,
  };
  return createServer(options, accept);
}

/** What the server shows; for `setSecureContext` too. */
export function serverContext({ certificate, key }: LinkCertificate): TlsOptions {
  return { cert: certificate, key, ...PROTOCOL };
}

/** Connects to the link of another node or site, which must be `trusted`; LINK_UNTRUSTED when it is not. */
export async function dialLink(
  { host, port }: Address,
  own: LinkCertificate,
  trusted: Trusted,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const { certificate: cert, key } = own;
  const socket = connect({
    host,
    port,
    cert,
    key,
    ca: trusted.authorities,
    servername: trusted.serverName,
    ...PROTOCOL,
  });
  socket.setNoDelay(true);
  socket.setKeepAlive(KEEP_ALIVE.keepAlive, KEEP_ALIVE.keepAliveInitialDelay);
  let patienceMs = CONNECT_MS;
  socket.setTimeout(patienceMs, () => {
    socket.destroy(new Error(`no answer within ${patienceMs / 1_000} s`));
  });
  socket.once("connect", () => socket.setTimeout((patienceMs = HANDSHAKE_MS)));
  const abort = (): void => void socket.destroy(new Error("given up"));
  signal.addEventListener("abort", abort, { once: true });
  socket.once("close", () => {
    signal.removeEventListener("abort", abort);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("secureConnect", resolve);
    socket.once("error", (error: NodeJS.ErrnoException) => {
      const isCertificate = error.code?.startsWith("ERR_TLS") === true || socket.authorizationError !== null;
      const why = `${host}:${port} cannot be connected: ${error.message}`;
      reject(isCertificate ? new Fault(faults.untrusted, why) : new Fault(faults.silent, why));
    });
  });
  socket.setTimeout(0);
  socket.on("error", () => undefined); // who reads sees that it has ended
  return socket;
}

/** LINK_UNTRUSTED unless the certificate of the other end has the name, is signed by one of the authorities and valid `now`, in milliseconds since 1970. */
export function checkPeer(socket: TLSSocket, { authorities, serverName }: Trusted, now: number): void {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) throw new Fault(faults.untrusted, "The other end shows no certificate.");
  const isSigned = certificatesIn(authorities).some(
    (authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
  );
  if (!isSigned) throw new Fault(faults.untrusted, `No authority of ${serverName} has signed the certificate shown.`);
  if (certificate.checkHost(serverName) === undefined)
    throw new Fault(faults.untrusted, `The certificate shown is not that of ${serverName}.`);
  if (now < certificate.validFromDate.getTime() || now > certificate.validToDate.getTime())
    throw new Fault(faults.untrusted, `The certificate shown is valid until ${certificate.validTo} only.`);
}

function certificatesIn(pem: string): readonly X509Certificate[] {
  return (pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []).map(
    (one) => new X509Certificate(one),
  );
}
