import { randomBytes } from "node:crypto";
import type { Secret } from "kubernetes-types/core/v1.js";
import { parseClusterAccess } from "../../../core/api/cluster-access.ts";
import { ACCESS_KEY, clusterNames, CREDENTIALS_ANNOTATION } from "../../../core/api/names.ts";
import type { Clock } from "#kit/base/clock";
import type { Kube, Stored } from "#kit/kube/kube";
import { issue, type Authority } from "#kit/pki/authority";
import { authorityIn, firstAuthority, isIssuedBy, NODE_DAYS, type ClusterAuthority } from "./authority.ts";
import { ownedMeta, type Owner } from "./meta.ts";
import { readOwn } from "../secrets/own.ts";
import { secretText } from "../secrets/secret-text.ts";
import { createOwn, writeOwn } from "../secrets/write.ts";

export interface SecretsDeps {
  readonly kube: Kube;
  readonly clock: Clock;
}

/** Makes the secrets of a cluster that are not there, and renews the nodes' certificate in time. What exists is kept. */
export async function keepSecrets(deps: SecretsDeps, owner: Owner): Promise<void> {
  await keepCredentials(deps, owner);
  await keepNodeCertificate(deps, owner, await keepAuthority(deps, owner));
}

async function keepCredentials(deps: SecretsDeps, owner: Owner): Promise<void> {
  const { spec, name } = owner.view;
  if (spec.clusterCredentialSecretName !== undefined) return; // the user's own secret
  const secret = clusterNames.credentialsSecret(name);
  if ((await readOwnSecret(deps, owner, secret)) !== undefined) return;
  // one that was deleted says again what counts
  const known = parseClusterAccess(
    secretText(await readOwnSecret(deps, owner, clusterNames.nodeTlsSecret(name)), ACCESS_KEY),
  );
  const { username, password } = known?.current ?? { username: spec.username, password: newPassword() };
  await create(deps, owner, secret, { username, password });
}

/** A password that is not guessed. */
export function newPassword(): string {
  return randomBytes(24).toString("base64url");
}

async function keepAuthority(deps: SecretsDeps, owner: Owner): Promise<ClusterAuthority> {
  const name = clusterNames.authoritySecret(owner.view.name);
  const found = authorityIn(await readOwnSecret(deps, owner, name));
  if (found !== undefined) return found;
  const first = firstAuthority(owner.view.name, deps.clock);
  await create(deps, owner, name, { "ca.crt": first.certificate, "ca.key": first.key });
  return { current: first, next: undefined, former: undefined, trusted: first.certificate, answered: undefined };
}

/** Both pairs are issued anew when one of them is not good any more; what is trusted changes alone while the authority is replaced. */
async function keepNodeCertificate(deps: SecretsDeps, owner: Owner, authority: ClusterAuthority): Promise<void> {
  const name = clusterNames.nodeTlsSecret(owner.view.name);
  const found = await readOwnSecret(deps, owner, name);
  const isGood = found !== undefined && arePairsGood(found, authority.current, deps.clock.now());
  // what is in use is noted, so that another one has to be given to the cluster
  const { name: cluster, spec } = owner.view;
  const noted = {
    [CREDENTIALS_ANNOTATION]: spec.clusterCredentialSecretName ?? clusterNames.credentialsSecret(cluster),
  };
  const isNoted = found?.metadata.annotations?.[CREDENTIALS_ANNOTATION] === noted[CREDENTIALS_ANNOTATION];
  if (isGood && isNoted && secretText(found, "ca.crt") === authority.trusted) return;
  const pairs = isGood ? {} : issuePairs(deps, owner, authority.current);
  const contents = { ...pairs, "ca.crt": authority.trusted };
  if (found === undefined) {
    await createOwn(deps.kube, { ...ownedMeta(owner, name), annotations: noted }, contents);
    return;
  }
  await writeOwn(deps.kube, found, contents, noted);
}

function issuePairs({ clock }: SecretsDeps, { view, namespace }: Owner, authority: Authority): Record<string, string> {
  const host = clusterNames.dnsName(view.name, namespace);
  const common = { usages: ["server", "client"], now: clock.now(), days: NODE_DAYS } as const;
  const pair = issue(authority, {
    commonName: view.name,
    dnsNames: [host, `*.${host}`, `${view.name}.${namespace}.svc`, view.name, "localhost"],
    ipAddresses: ["127.0.0.1"],
    ...common,
  });
  const engine = issue(authority, {
    commonName: "engine",
    dnsNames: [clusterNames.engineName(view.name, namespace)],
    ipAddresses: [],
    ...common,
  });
  return {
    "tls.crt": pair.certificate,
    "tls.key": pair.key,
    "engine.crt": engine.certificate,
    "engine.key": engine.key,
  };
}

function arePairsGood(secret: Stored<Secret>, authority: Authority, now: Date): boolean {
  if (secretText(secret, "engine.key") === "") return false; // an operator of a release before 0.4.0 made it
  return ["tls.crt", "engine.crt"].every((key) => isIssuedBy(secretText(secret, key), authority.certificate, now));
}

function readOwnSecret({ kube }: SecretsDeps, owner: Owner, name: string): Promise<Stored<Secret> | undefined> {
  const { rec, view, namespace } = owner;
  return readOwn(kube, view.name, { name, namespace }, rec.metadata.uid);
}

async function create(
  { kube }: SecretsDeps,
  owner: Owner,
  name: string,
  contents: Readonly<Record<string, string>>,
): Promise<void> {
  await createOwn(kube, ownedMeta(owner, name), contents);
}
