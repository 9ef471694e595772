import { createSecureContext, type SecureContext } from "node:tls";
import type { EngineCertificate } from "../../core/api/engine-certificate.ts";
import { Fault } from "#kit/base/fault";
import { faults } from "./faults.ts";

/** How this process speaks TLS with engines. Read at each connection: certificates are renewed while programs run. */
export class EngineTls {
  #certificate: EngineCertificate | undefined;
  #options: TlsClientOptions | undefined;

  /** Shows this certificate from now on; connections that are open stay. Throws when certificate and key do not belong together. */
  use(certificate: EngineCertificate): void {
    if (JSON.stringify(certificate) === JSON.stringify(this.#certificate)) return;
    const { authority, key, serverName } = certificate;
    const secureContext = createSecureContext({ cert: certificate.certificate, key, ca: authority, ...PROTOCOL });
    this.#options = { secureContext, servername: serverName };
    this.#certificate = certificate;
  }

  /** The certificate in use; undefined before the first one. */
  get certificate(): EngineCertificate | undefined {
    return this.#certificate;
  }

  /** For a connection that is made now; RESP_NO_CERTIFICATE before the first certificate. */
  get options(): TlsClientOptions {
    if (this.#options === undefined)
      throw new Fault(faults.noCertificate, "This node has no certificate by which engines know it.");
    return this.#options;
  }
}

/** The other side is held to the authority of the context, and to this name. */
interface TlsClientOptions {
  readonly secureContext: SecureContext;
  readonly servername: string;
}

const PROTOCOL = { minVersion: "TLSv1.3" } as const;
