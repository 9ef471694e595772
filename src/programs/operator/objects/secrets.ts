import { randomBytes } from "node:crypto";
import type { Secret } from "kubernetes-types/core/v1.js";
import { parseClusterAccess } from "../../../core/api/cluster-access.ts";
import { ACCESS_KEY, clusterNames } from "../../../core/api/names.ts";
import type { Clock } from "../../../core/base/clock.ts";
import { Secrets } from "../../../ports/kube/builtin.ts";
import type { Kube, Stored } from "../../../ports/kube/kube.ts";
import { refOf } from "../../../ports/kube/ref.ts";
import { createAuthority, expiryOf, issue, type Authority } from "../../../ports/pki/authority.ts";
import { ownedMeta, type Owner } from "./meta.ts";

const AUTHORITY_DAYS = 3650;
/** How long certificates are valid that the authority of a cluster issues. */
export const NODE_DAYS = 90;
/** They are renewed when they are valid for less than this, in milliseconds: a third of their life. */
export const RENEW_BEFORE_MS = (NODE_DAYS / 3) * 86_400_000;

export interface SecretsDeps {
  readonly kube: Kube;
  readonly clock: Clock;
}

/** Makes the secrets of a cluster that are not there, and renews the nodes' certificate in time. What exists is kept. */
export async function keepSecrets(deps: SecretsDeps, owner: Owner): Promise<void> {
  await keepCredentials(deps, owner);
  await keepNodeCertificate(deps, owner, await keepAuthority(deps, owner));
}

/** Base64, as `data` of a secret has it. */
export function encoded(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** The text behind a key of a secret; empty when it has none. */
export function textOf(secret: Stored<Secret> | undefined, key: string): string {
  return Buffer.from(secret?.data?.[key] ?? "", "base64").toString();
}

async function keepCredentials(deps: SecretsDeps, owner: Owner): Promise<void> {
  const { spec, name } = owner.view;
  if (spec.clusterCredentialSecretName !== undefined) return; // the user's own secret
  const secret = clusterNames.credentialsSecret(name);
  if ((await read(deps, owner, secret)) !== undefined) return;
  // one that was deleted says again what counts
  const known = parseClusterAccess(textOf(await read(deps, owner, clusterNames.nodeTlsSecret(name)), ACCESS_KEY));
  const { username, password } = known?.current ?? { username: spec.username, password: newPassword() };
  await create(deps, owner, secret, { username, password });
}

/** A password that is not guessed. */
export function newPassword(): string {
  return randomBytes(24).toString("base64url");
}

async function keepAuthority(deps: SecretsDeps, owner: Owner): Promise<Authority> {
  const name = clusterNames.authoritySecret(owner.view.name);
  const found = await read(deps, owner, name);
  if (found !== undefined) return { certificate: textOf(found, "ca.crt"), key: textOf(found, "ca.key") };
  const commonName = `${owner.view.name} certificate authority`;
  const authority = createAuthority({ commonName, now: deps.clock.now(), days: AUTHORITY_DAYS });
  await create(deps, owner, name, { "ca.crt": authority.certificate, "ca.key": authority.key });
  return authority;
}

async function keepNodeCertificate(deps: SecretsDeps, owner: Owner, authority: Authority): Promise<void> {
  const name = clusterNames.nodeTlsSecret(owner.view.name);
  const found = await read(deps, owner, name);
  if (found !== undefined && isGood(found, authority, deps.clock.now())) return;
  const host = clusterNames.dnsName(owner.view.name, owner.namespace);
  const validity = { now: deps.clock.now(), days: NODE_DAYS };
  const pair = issue(authority, {
    commonName: owner.view.name,
    dnsNames: [host, `*.${host}`, `${owner.view.name}.${owner.namespace}.svc`, owner.view.name, "localhost"],
    ipAddresses: ["127.0.0.1"],
    usages: ["server", "client"],
    ...validity,
  });
  const engine = issue(authority, {
    commonName: "engine",
    dnsNames: [clusterNames.engineName(owner.view.name, owner.namespace)],
    ipAddresses: [],
    usages: ["server", "client"],
    ...validity,
  });
  const contents = {
    ...{ "tls.crt": pair.certificate, "tls.key": pair.key, "ca.crt": authority.certificate },
    ...{ "engine.crt": engine.certificate, "engine.key": engine.key },
  };
  if (found === undefined) {
    await create(deps, owner, name, contents);
    return;
  }
  const body = { metadata: { resourceVersion: found.metadata.resourceVersion }, data: encodedAll(contents) };
  await deps.kube.patch(Secrets, refOf(found), { type: "merge", body });
}

function isGood(secret: Stored<Secret>, authority: Authority, now: Date): boolean {
  if (textOf(secret, "engine.key") === "") return false; // an operator of a release before 0.4.0 made it
  const expiry = expiryOf(textOf(secret, "tls.crt")).getTime();
  return textOf(secret, "ca.crt") === authority.certificate && expiry - now.getTime() > RENEW_BEFORE_MS;
}

function read({ kube }: SecretsDeps, { namespace }: Owner, name: string): Promise<Stored<Secret> | undefined> {
  return kube.get(Secrets, { name, namespace });
}

async function create(
  { kube }: SecretsDeps,
  owner: Owner,
  name: string,
  contents: Readonly<Record<string, string>>,
): Promise<void> {
  await kube.create(Secrets, { metadata: ownedMeta(owner, name), type: "Opaque", data: encodedAll(contents) });
}

function encodedAll(contents: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(contents).map(([key, text]) => [key, encoded(text)]));
}
