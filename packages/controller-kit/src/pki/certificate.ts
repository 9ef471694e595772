import { createHash, randomBytes, sign, X509Certificate, type KeyObject } from "node:crypto";
import { Fault } from "../base/fault.ts";
import { bits, derContent, element, elementsIn, derInteger, oid, sequence, derSet, derText, time } from "./der.ts";
import { faults } from "./faults.ts";

/** What is signed. */
export interface CertificateBody {
  /** DER name of the signer. */
  readonly issuer: Buffer;
  /** DER name of the holder. */
  readonly subject: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** An X.509 v3 certificate as PEM: EC P-256, SHA-256, a random serial number of 127 bits. */
export function signCertificate(body: CertificateBody, signer: KeyObject): string {
  const signed = sequence(
    element(0xa0, derInteger(Buffer.from([2]))),
    derInteger(randomSerial()),
    ECDSA_SHA256,
    body.issuer,
    sequence(time(body.notBefore), time(body.notAfter)),
    body.subject,
    body.publicKey.export({ type: "spki", format: "der" }),
    element(0xa3, sequence(...body.extensions)),
  );
  return pem(sequence(signed, ECDSA_SHA256, bits(sign("sha256", signed, signer))));
}

/** Reads a certificate with all that is asked of it later; throws when its dates or its key cannot be read, too. */
export function readCertificate(text: string): X509Certificate {
  const certificate = new X509Certificate(text);
  for (const date of [certificate.validFromDate, certificate.validToDate])
    if (Number.isNaN(date.getTime())) throw new RangeError("a date of the certificate cannot be read");
  void certificate.publicKey; // read on demand: it throws
  return certificate;
}

/** Each certificate of a text that holds some, one after the other; what stands between them is left out. */
export function certificatesIn(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/** A DER name of organizations and one common name. */
export function nameOf(commonName: string, organizations: readonly string[] = []): Buffer {
  for (const part of [commonName, ...organizations]) {
    if (part.length >= 1 && part.length <= 64) continue;
    throw new Fault(faults.badName, `"${part}" has ${part.length} characters, a name in a certificate has 1 to 64`, {
      part,
    });
  }
  const organization = organizations.map((name) => derSet(sequence(oid("2.5.4.10"), derText(name))));
  return sequence(...organization, derSet(sequence(oid("2.5.4.3"), derText(commonName))));
}

/** The DER name of the holder of a certificate, byte for byte as the certificate has it. */
export function subjectOf(certificate: Buffer): Buffer {
  const signed = elementsIn(derContent(certificate))[0];
  const subject = signed === undefined ? undefined : elementsIn(derContent(signed))[5];
  if (subject === undefined) throw new Fault(faults.unreadable, "the certificate has no subject");
  return subject;
}

/** Identifier of a key: SHA-1 of its public point (RFC 5280 §4.2.1.2, method 1). */
export function keyIdOf(publicKey: KeyObject): Buffer {
  const point = elementsIn(derContent(publicKey.export({ type: "spki", format: "der" })))[1] ?? Buffer.alloc(0);
  return createHash("sha1").update(derContent(point).subarray(1)).digest();
}

const ECDSA_SHA256 = sequence(oid("1.2.840.10045.4.3.2"));

/** Never negative and never starting with a zero byte, which strict readers refuse. */
function randomSerial(): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial;
}

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
