import type { EndpointCertificate } from "../../../src/core/api/endpoint-certificate.ts";
import { createAuthority, issue, type Authority, type KeyPair } from "#kit/pki/authority";

const DAY_MS = 86_400_000;

/** An authority that is valid now, and has been for 60 days. */
export function authorityNamed(commonName: string, days = 120): Authority {
  return createAuthority({ commonName, now: new Date(Date.now() - 60 * DAY_MS), days });
}

/** The pair of a client, valid now, or until so many days ago. */
export function clientPair(authority: Authority, { expiredDays }: { readonly expiredDays?: number } = {}): KeyPair {
  const days = 2;
  const now = new Date(Date.now() - (expiredDays === undefined ? 0 : (expiredDays + days) * DAY_MS));
  return issue(authority, { commonName: "client", dnsNames: [], ipAddresses: [], usages: ["client"], now, days });
}

/** What an endpoint shows that clients call `host`. */
export function endpointCertificate(
  authority: Authority,
  host: string,
  clientAuthorities = "",
  days = 1,
): EndpointCertificate {
  const about = { commonName: "db", dnsNames: [host], ipAddresses: [], usages: ["server"] as const };
  const { certificate, key } = issue(authority, { ...about, now: new Date(), days });
  return { certificate, key, clientAuthorities };
}
