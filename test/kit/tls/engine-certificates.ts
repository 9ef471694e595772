import type { EngineCertificate } from "../../../src/core/api/engine-certificate.ts";
import { createAuthority, issue, type Authority } from "#kit/pki/authority";
import { EngineTls } from "../../../src/ports/resp/engine-tls.ts";

const now = new Date();

/** An authority as that of a cluster. */
export function testAuthority(): Authority {
  return createAuthority({ commonName: "test cluster", now, days: 1 });
}

/** What the members of a cluster show each other. */
export function engineCertificate(authority: Authority, serverName = "engine.test"): EngineCertificate {
  const names = { commonName: "engine", dnsNames: [serverName], ipAddresses: [] };
  const { certificate, key } = issue(authority, { ...names, usages: ["server", "client"], now, days: 1 });
  return { certificate, key, authority: authority.certificate, serverName };
}

/** A member that shows this certificate. */
export function showing(certificate: EngineCertificate): EngineTls {
  const tls = new EngineTls();
  tls.use(certificate);
  return tls;
}
