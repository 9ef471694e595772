import type { X509Certificate } from "node:crypto";
import type { Secret } from "kubernetes-types/core/v1.js";
import { clusterNames } from "../../../core/api/names.ts";
import type { Clock } from "#kit/base/clock";
import type { CertificateView } from "../../../core/planner/database/certificate.ts";
import type { Stored } from "#kit/kube/kube";
import type { BdbCertificate, BdbRecord } from "../../../ports/management/records.ts";
import { issue, type Authority } from "#kit/pki/authority";
import { certificatesIn, readCertificate } from "#kit/pki/certificate";
import { usablePair } from "#kit/pki/purpose";
import { authorityIn, isIssuedBy, NODE_DAYS } from "../objects/authority.ts";
import { readGiven, type GivenDeps, type GivenSecret } from "../secrets/given.ts";
import { readOwn } from "../secrets/own.ts";
import { secretText } from "../secrets/secret-text.ts";
import type { Redb } from "./cluster.ts";

/** With what Secrets are read, and whose time says when a certificate ends. */
export interface CertificateDeps extends GivenDeps {
  readonly clock: Clock;
}

/** Keys of a Secret with a certificate, in the order in which they are looked for. */
const CERTIFICATE_KEYS = ["certificate", "cert", "tls.crt"];
const KEY_KEYS = ["key", "tls.key"];

const NO_TLS: CertificateView = { state: "none", why: "", warning: "", authority: "" };

/** What the certificate of a database's endpoints is to what its object asks for. */
export async function observeCertificate(
  deps: CertificateDeps,
  redb: Redb,
  cluster: string,
  bdb: Pick<BdbRecord, "tls_certificate"> | undefined,
): Promise<CertificateView> {
  if (!usesTls(redb)) return NO_TLS;
  const shown = bdb?.tls_certificate;
  const desired = await desiredOf(deps, redb, cluster, shown?.certificate);
  if (typeof desired === "string") return { ...NO_TLS, state: "wrong", why: desired };
  const { clientAuthorities, own } = desired;
  const isGiven =
    shown?.client_authorities === clientAuthorities &&
    ("issuer" in own
      ? isOurs(shown.certificate, own.issuer, redb, deps.clock.now())
      : shown.certificate === own.certificate);
  const unfit = "issuer" in own ? "" : certificateFlaw(own.certificate, redb, deps.clock.now());
  const warning = [desired.unmarked, unfit].filter((one) => one !== "").join("; ");
  return { state: isGiven ? "given" : "due", why: "", warning, authority: desired.authority };
}

/** The certificate to give to the endpoints of a database: its user's own, or one that the authority of the cluster issues now; or why there is none. */
export async function certificateToGive(
  deps: CertificateDeps,
  redb: Redb,
  cluster: string,
): Promise<BdbCertificate | string> {
  const desired = await desiredOf(deps, redb, cluster);
  if (typeof desired === "string") return desired;
  const { own, clientAuthorities: client_authorities } = desired;
  if (!("issuer" in own)) return { ...own, client_authorities };
  const pair = issue(own.issuer, {
    commonName: redb.metadata.name,
    dnsNames: hostsOf(redb),
    ipAddresses: [],
    usages: ["server"],
    now: deps.clock.now(),
    days: NODE_DAYS,
  });
  return { ...pair, client_authorities };
}

/** Whether a change of this Secret may change what the endpoints of the database show, or whom they let in. */
export function readsForTls(redb: Redb, cluster: string, secret: string): boolean {
  const { certificateSecretName, clientAuthenticationCertificates = [] } = redb.spec;
  const ours = clusterNames.authoritySecret(cluster);
  return usesTls(redb) && [ours, certificateSecretName, ...clientAuthenticationCertificates].includes(secret);
}

interface Desired {
  /** The certificate of the user, or the authority of the cluster, which issues one. */
  readonly own: { readonly certificate: string; readonly key: string } | { readonly issuer: Authority };
  readonly clientAuthorities: string;
  /** The authority by which clients know the endpoint, several while that of the cluster is replaced; empty when the user's Secret does not say. */
  readonly authority: string;
  /** Why the Secret would not be taken now, whose certificate endpoints show since an older release; empty when it would. */
  readonly unmarked: string;
}

/** `shown`: the certificate that the endpoints have. */
async function desiredOf(
  deps: CertificateDeps,
  redb: Redb,
  cluster: string,
  shown?: string,
): Promise<Desired | string> {
  const { certificateSecretName: name } = redb.spec;
  const clients = await clientAuthorities(deps, redb);
  if (typeof clients === "object") return clients.why;
  const shows = await (name === undefined ? issuedBy(deps, redb, cluster) : givenIn(deps, redb, name, shown));
  return typeof shows === "string" ? shows : { ...shows, clientAuthorities: clients };
}

type Shows = Omit<Desired, "clientAuthorities">;

/** A certificate that the authority of the cluster issues. */
async function issuedBy(deps: CertificateDeps, { metadata }: Redb, cluster: string): Promise<Shows | string> {
  const ref = { name: clusterNames.authoritySecret(cluster), namespace: metadata.namespace ?? "default" };
  const authority = authorityIn(await readOwn(deps.kube, cluster, ref));
  if (authority === undefined) return `the cluster ${cluster} has no certificate authority yet`;
  const { current: issuer, trusted } = authority;
  return { own: { issuer }, authority: trusted, unmarked: "" };
}

/** The certificate in a Secret of the user. */
async function givenIn(
  deps: CertificateDeps,
  redb: Redb,
  name: string,
  shown: string | undefined,
): Promise<Shows | string> {
  const given = await readNamed(deps, redb, name, "certificate");
  const { secret } = given;
  const unmarked = againstUse(given, "spec.certificateSecretName");
  const isInUse = secret !== undefined && shown !== undefined && firstOf(secret, CERTIFICATE_KEYS) === shown;
  if (unmarked !== "" && (given.isIrrevocable || !isInUse)) return unmarked;
  if (secret === undefined) return `spec.certificateSecretName: there is no Secret ${name}`;
  const own = { certificate: firstOf(secret, CERTIFICATE_KEYS), key: firstOf(secret, KEY_KEYS) };
  if (own.certificate === "" || own.key === "")
    return `spec.certificateSecretName: the Secret ${name} has no keys tls.crt and tls.key`;
  const usable = usablePair(own, deps.clock.now());
  if ("why" in usable) return `spec.certificateSecretName: the Secret ${name} cannot be used: ${usable.why}`;
  return { own, authority: secretText(secret, "ca.crt"), unmarked };
}

/** The authorities in all Secrets that the spec names, one after the other. */
async function clientAuthorities(deps: CertificateDeps, redb: Redb): Promise<string | { readonly why: string }> {
  if (redb.spec.tls !== "mutual") return "";
  const names = redb.spec.clientAuthenticationCertificates ?? [];
  const read = await Promise.all(names.map((name) => readNamed(deps, redb, name, "client-authorities")));
  const refused = read.map((given) => againstUse(given, "spec.clientAuthenticationCertificates"));
  const why = refused.find((text) => text !== "");
  if (why !== undefined) return { why };
  const texts = read.map(({ secret }) =>
    certificatesIn(secret === undefined ? "" : firstOf(secret, ["ca.crt", ...CERTIFICATE_KEYS])),
  );
  const empty = names[texts.findIndex((found) => found.length === 0)];
  if (empty === undefined) return texts.flat().join("\n");
  return { why: `spec.clientAuthenticationCertificates: the Secret ${empty} has no certificate in its key ca.crt` };
}

/** Whether the authority of the cluster has issued the certificate for these names, and it is not to be renewed yet. */
function isOurs(certificate: string, issuer: Authority, redb: Redb, now: Date): boolean {
  const isCovered = (host: string): boolean => covers(readCertificate(certificate), host);
  return isIssuedBy(certificate, issuer.certificate, now) && hostsOf(redb).every(isCovered);
}

/** What will keep clients from connecting, though the certificate can be used. */
function certificateFlaw(pem: string, redb: Redb, now: Date): string {
  const certificate = readCertificate(pem);
  const hosts = hostsOf(redb);
  if (certificate.validToDate.getTime() - now.getTime() < SOON_MS)
    return `the certificate of spec.certificateSecretName ends on ${certificate.validTo}`;
  if (hosts.some((host) => covers(certificate, host))) return "";
  return `the certificate of spec.certificateSecretName names no host of the Service: ${hosts.join(", ")}`;
}

/** A certificate of a user that ends in less time is worth a warning, in milliseconds. */
const SOON_MS = 14 * 86_400_000;

function covers(certificate: X509Certificate, host: string): boolean {
  return certificate.checkHost(host, { subject: "never" }) !== undefined;
}

/** The names of the Service of a database. */
function hostsOf({ metadata: { name, namespace = "default" } }: Redb): readonly string[] {
  return [clusterNames.databaseHost(name, namespace), `${name}.${namespace}.svc`, `${name}.${namespace}`, name];
}

function usesTls({ spec }: Redb): boolean {
  return spec.tls === "enabled" || spec.tls === "mutual";
}

function firstOf(secret: Stored<Secret>, keys: readonly string[]): string {
  return keys.map((key) => secretText(secret, key)).find((text) => text !== "") ?? "";
}

function readNamed(
  deps: CertificateDeps,
  { metadata }: Redb,
  name: string,
  kind: "certificate" | "client-authorities",
): Promise<GivenSecret> {
  return readGiven(deps, { name, namespace: metadata.namespace ?? "default" }, { kind, database: metadata.name });
}

function againstUse({ objection }: GivenSecret, field: string): string {
  return objection === undefined ? "" : `${field}: ${objection.evidence}; ${objection.remedy}`;
}
