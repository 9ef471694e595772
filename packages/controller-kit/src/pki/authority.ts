import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type X509Certificate,
} from "node:crypto";
import { Fault } from "../base/fault.ts";
import { keyIdOf, nameOf, readCertificate, signCertificate, subjectOf } from "./certificate.ts";
import { authorityExtensions, endEntityExtensions, type Usage } from "./extensions.ts";
import { faults } from "./faults.ts";

export type { Usage } from "./extensions.ts";

/** A certificate and its private key (PKCS #8), both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** A key pair that may sign others. */
export type Authority = KeyPair;

/** Creates a self-signed authority that may sign end entities, and its successors when asked to; valid for `days` from `now`. */
export function createAuthority(options: {
  readonly commonName: string;
  readonly now: Date;
  readonly days: number;
  readonly canBeSucceeded?: boolean;
}): Authority {
  const { publicKey, privateKey } = newKey();
  const name = nameOf(options.commonName);
  const certificate = signCertificate(
    {
      issuer: name,
      subject: name,
      ...validity(options.now, options.days),
      publicKey,
      extensions: authorityExtensions({
        keyId: keyIdOf(publicKey),
        authorityKeyId: keyIdOf(publicKey),
        canBeSucceeded: options.canBeSucceeded ?? false,
      }),
    },
    privateKey,
  );
  return { certificate, key: pkcs8(privateKey) };
}

/** Issues a key pair signed by `authority`, valid for `days` from `now` but never longer than the authority itself. */
export function issue(
  authority: Authority,
  options: {
    readonly commonName: string;
    /** Kubernetes reads them as groups of the user `commonName`. */
    readonly organizations?: readonly string[];
    readonly dnsNames: readonly string[];
    readonly ipAddresses: readonly string[];
    readonly usages: readonly Usage[];
    readonly now: Date;
    readonly days: number;
  },
): KeyPair {
  const signer = signerOf(authority, options.now);
  const { publicKey, privateKey } = newKey();
  const { notBefore, notAfter } = validity(options.now, options.days);
  const certificate = signCertificate(
    {
      issuer: subjectOf(signer.certificate.raw),
      subject: nameOf(options.commonName, options.organizations),
      notBefore,
      notAfter: notAfter < signer.certificate.validToDate ? notAfter : signer.certificate.validToDate,
      publicKey,
      extensions: endEntityExtensions({
        ...options,
        keyId: keyIdOf(publicKey),
        authorityKeyId: keyIdOf(createPublicKey(signer.key)),
      }),
    },
    signer.key,
  );
  return { certificate, key: pkcs8(privateKey) };
}

/**
 * A certificate that makes clients of `authority` trust the authority `successor` too: same name and key as the successor's
 * own, signed by `authority`; valid as long as both are.
 */
export function succeedAuthority(authority: Authority, successor: string, now: Date): string {
  const signer = signerOf(authority, now);
  const next = parse(successor);
  return signCertificate(
    {
      issuer: subjectOf(signer.certificate.raw),
      subject: subjectOf(next.raw),
      notBefore: next.validFromDate,
      notAfter: next.validToDate < signer.certificate.validToDate ? next.validToDate : signer.certificate.validToDate,
      publicKey: next.publicKey,
      extensions: authorityExtensions({
        keyId: keyIdOf(next.publicKey),
        authorityKeyId: keyIdOf(createPublicKey(signer.key)),
        canBeSucceeded: true,
      }),
    },
    signer.key,
  );
}

/** The instant from which the first certificate in `pem` is no longer valid. */
export function expiryOf(pem: string): Date {
  return parse(pem).validToDate;
}

/** When a pair was made whose certificate is the first in `pem`, and when it ends. */
export function lifeOf(pem: string): { readonly made: Date; readonly ends: Date } {
  const { validFromDate, validToDate } = parse(pem);
  return { made: new Date(validFromDate.getTime() + LAG_MS), ends: validToDate };
}

const DAY_MS = 86_400_000;
/** Certificates begin in the past, for clocks that are slow or are set back by minutes. */
const LAG_MS = 3_600_000;

function validity(now: Date, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now.getTime() - LAG_MS), notAfter: new Date(now.getTime() + days * DAY_MS) };
}

function newKey(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function pkcs8(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function signerOf(authority: Authority, now: Date): { certificate: X509Certificate; key: KeyObject } {
  const certificate = parse(authority.certificate);
  const key = privateKeyOf(authority);
  const about = { subject: certificate.subject, validTo: certificate.validTo };
  if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1" || !certificate.checkPrivateKey(key)) {
    throw new Fault(
      faults.unusableAuthority,
      `the key of ${certificate.subject} is not the EC P-256 key of its certificate`,
      about,
    );
  }
  if (certificate.validToDate <= now) {
    throw new Fault(
      faults.unusableAuthority,
      `the authority ${certificate.subject} expired on ${certificate.validTo}`,
      about,
    );
  }
  return { certificate, key };
}

function privateKeyOf({ key }: Authority): KeyObject {
  try {
    return createPrivateKey(key);
  } catch (error) {
    throw new Fault(faults.unusableAuthority, "the key of the authority is not a PEM private key", {}, error);
  }
}

function parse(pem: string): X509Certificate {
  try {
    return readCertificate(pem);
  } catch (error) {
    throw new Fault(faults.unreadable, "the text is not a PEM certificate", {}, error);
  }
}
