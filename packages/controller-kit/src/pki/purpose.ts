import { createPrivateKey, type KeyObject, type X509Certificate } from "node:crypto";
import { messageOf } from "../base/fault.ts";
import type { KeyPair } from "./authority.ts";
import { readCertificate } from "./certificate.ts";

/** What a key pair from outside can be used for by a server called `host`. */
export type Purpose =
  /** It signs a certificate for the server. */
  | { readonly kind: "authority" }
  /** It is the server's certificate. */
  | { readonly kind: "server" }
  | { readonly kind: "none"; readonly why: string };

/** Finds the purpose of a pair that was not made here; never throws on what it contains. */
export function purposeOf(pair: KeyPair, host: string, now: Date): Purpose {
  const read = usablePair(pair, now);
  if ("why" in read) return { kind: "none", why: read.why };
  const { certificate, key } = read;
  if (certificate.checkHost(host, { subject: "never" }) !== undefined) return { kind: "server" };
  if (!certificate.ca) return none(`the certificate is neither for ${host} nor an authority`);
  return key.asymmetricKeyDetails?.namedCurve === "prime256v1"
    ? { kind: "authority" }
    : none("the certificate is an authority with another key than EC P-256");
}

/** A certificate that is valid at `now` with its own key; why the pair is not that. Never throws on what it contains. */
export function usablePair(
  pair: KeyPair,
  now: Date,
): { readonly certificate: X509Certificate; readonly key: KeyObject } | { readonly why: string } {
  try {
    const [certificate, key] = [readCertificate(pair.certificate), createPrivateKey(pair.key)];
    if (!certificate.checkPrivateKey(key)) return { why: "the key is not the one of the certificate" };
    if (certificate.validToDate <= now) return { why: `the certificate expired on ${certificate.validTo}` };
    return { certificate, key };
  } catch (error) {
    return { why: `the pair cannot be read: ${messageOf(error)}` };
  }
}

function none(why: string): Purpose {
  return { kind: "none", why };
}
