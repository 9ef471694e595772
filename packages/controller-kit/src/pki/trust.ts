import { X509Certificate } from "node:crypto";
import { certificatesIn } from "./certificate.ts";

/** The digest of each certificate in a text, by which an authority is named among programs; those that cannot be read are left out. */
export function authoritiesIn(text: string): readonly string[] {
  return parseCertificates(text).map(({ fingerprint256 }) => fingerprint256);
}

/** The digest of the first certificate in a text; empty when there is none. */
export function authorityId(text: string): string {
  return authoritiesIn(text)[0] ?? "";
}

/** The digests of the authorities in `trusted` that have signed one of these certificates, each the first of its text. */
export function signersOf(certificates: readonly string[], trusted: string): readonly string[] {
  const shown = [...new Set(certificates)].flatMap((text) => parseCertificates(text).slice(0, 1));
  return parseCertificates(trusted)
    .filter(({ publicKey }) => shown.some((certificate) => certificate.verify(publicKey)))
    .map(({ fingerprint256 }) => fingerprint256);
}

function parseCertificates(text: string): readonly X509Certificate[] {
  return certificatesIn(text).flatMap((pem) => {
    try {
      return [new X509Certificate(pem)];
    } catch {
      return []; // it signs nothing, and vouches for nothing
    }
  });
}
