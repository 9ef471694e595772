import { createHash, randomBytes } from "node:crypto";
import type { Secret } from "kubernetes-types/core/v1.js";
import type { Clock } from "#kit/base/clock";
import type { Stored } from "#kit/kube/kube";
import { createAuthority, type Authority } from "#kit/pki/authority";
import { readCertificate } from "#kit/pki/certificate";
import { secretText } from "../secrets/secret-text.ts";

const AUTHORITY_DAYS = 3650;
/** How long certificates are valid that the authority of a cluster issues. */
export const NODE_DAYS = 90;
/** Certificates are renewed when they are valid for less than this, in milliseconds: a third of their life. */
const RENEW_BEFORE_MS = (NODE_DAYS / 3) * 86_400_000;

/** The authority of a cluster as its Secret has it, and those that are trusted besides while it is replaced. */
export interface ClusterAuthority {
  /** It signs. */
  readonly current: Authority;
  /** It signs once everything that verifies trusts it. */
  readonly next: Authority | undefined;
  /** The certificate of the one that signed before; its key is gone. */
  readonly former: string | undefined;
  /** The certificates of all of these, the oldest first: what verifies trusts them. */
  readonly trusted: string;
  /** The last request for another authority that was granted. */
  readonly answered: string | undefined;
}

/** Undefined while the Secret is missing or lacks the certificate. */
export function authorityIn(secret: Stored<Secret> | undefined): ClusterAuthority | undefined {
  const [certificate, former, answered] = ["ca.crt", "former.crt", "answered"].map((key) => secretText(secret, key));
  if (certificate === undefined || certificate === "") return undefined;
  const offered = { certificate: secretText(secret, "next.crt"), key: secretText(secret, "next.key") };
  const next = offered.certificate === "" || offered.key === "" ? undefined : offered;
  const trusted = [former ?? "", certificate, next?.certificate ?? ""].filter((each) => each !== "");
  return {
    current: { certificate, key: secretText(secret, "ca.key") },
    next,
    former: former === "" ? undefined : former,
    trusted: trusted.length === 1 ? certificate : trusted.map((each) => `${each.trim()}\n`).join(""),
    answered: answered === "" ? undefined : answered,
  };
}

/** The authority with which a cluster begins. */
export function firstAuthority(cluster: string, clock: Clock): Authority {
  return createAuthority({ commonName: `${cluster} certificate authority`, now: clock.now(), days: AUTHORITY_DAYS });
}

/** An authority with another name than any before: where two are trusted, some programs look for the issuer by its name. */
export function anotherAuthority(cluster: string, clock: Clock): Authority {
  const commonName = `${cluster} authority ${randomBytes(4).toString("hex")}`;
  return createAuthority({ commonName, now: clock.now(), days: AUTHORITY_DAYS });
}

/** Whether this authority has signed a certificate that is not to be renewed yet; one that is as valid as the authority cannot be renewed. */
export function isIssuedBy(certificate: string, authority: string, now: Date): boolean {
  const [issued, issuer] = [readCertificate(certificate), readCertificate(authority)];
  const isLasting = issued.validToDate.getTime() - now.getTime() > RENEW_BEFORE_MS;
  return (isLasting || issued.validToDate >= issuer.validToDate) && issued.verify(issuer.publicKey);
}

/** What the status of a database says of the key `ca.crt` of its Secret; undefined when the Secret has none. */
export function authorityDigest(trusted: string): string | undefined {
  return trusted === "" ? undefined : createHash("sha256").update(trusted).digest("hex");
}
