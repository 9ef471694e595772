import { createSecureContext } from "node:tls";
import type { EndpointCertificate } from "../../../../core/api/endpoint-certificate.ts";
import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { messageOf } from "#kit/base/fault";
import type { BdbCertificate } from "../../../../ports/management/records.ts";
import { certificatesIn, readCertificate } from "#kit/pki/certificate";
import { refusals, refuse } from "../http/refusals.ts";

/** The certificate of a body; refused when it has expired, when its key is that of another one, or when a part cannot be read. */
export function certificateOf({ certificate, key, client_authorities = "" }: BdbCertificate, now: Date) {
  const expired = parseOrRefuse(() => {
    createSecureContext({ cert: certificate, key });
    const authorities = certificatesIn(client_authorities);
    if (client_authorities !== "" && authorities.length === 0)
      throw new Error("client_authorities holds no certificate");
    return [certificate, ...authorities].map(readCertificate).find(({ validToDate }) => validToDate <= now);
  });
  if (expired !== undefined) throw unusable(`the certificate ${expired.subject} expired on ${expired.validTo}`);
  return { certificate, key, clientAuthorities: client_authorities } satisfies EndpointCertificate;
}

/** What records and answers hold of it: no key. */
export function shownOf({
  certificate,
  clientAuthorities,
}: EndpointCertificate): NonNullable<DatabaseRecord["certificate"]> {
  return { certificate, clientAuthorities };
}

/** Whether two certificates of endpoints are shown alike. */
export function isSameCertificate(one: DatabaseRecord["certificate"], other: DatabaseRecord["certificate"]): boolean {
  return one?.certificate === other?.certificate && one?.clientAuthorities === other?.clientAuthorities;
}

function parseOrRefuse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unusable(`certificate, key and client_authorities cannot be used together: ${messageOf(error)}`);
  }
}

function unusable(why: string) {
  return refuse(refusals.badRequest, `tls_certificate: ${why}`, { field: "tls_certificate" });
}
