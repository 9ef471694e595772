import type { Secret } from "kubernetes-types/core/v1.js";
import { parseClusterAccess } from "../../../core/api/cluster-access.ts";
import { ACCESS_KEY } from "../../../core/api/names.ts";
import type { Holder, HoldersView } from "../../../core/planner/cluster/authority-holders.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { Kube, Stored } from "#kit/kube/kube";
import { authoritiesIn, authorityId, signersOf } from "#kit/pki/trust";
import { authorityDigest, type ClusterAuthority } from "../objects/authority.ts";
import type { Owner } from "../objects/meta.ts";
import { secretText } from "../secrets/secret-text.ts";
import { whyNotAble, type AskNodes } from "./ask-nodes.ts";
import { renewedRigger } from "./rigger.ts";

/** Where the holders of an authority are found. */
export interface HolderDeps {
  readonly kube: Kube;
  readonly askNodes: AskNodes;
  readonly cache: Pick<InformerCache, "databases">;
}

/** Everything of the cluster that verifies or shows a certificate; asked only while the authority is replaced. */
export async function holdersView(
  deps: HolderDeps,
  owner: Owner,
  authority: ClusterAuthority,
  tls: Stored<Secret>,
): Promise<HoldersView> {
  const not = whyNotAble(owner);
  if (not !== undefined) return not;
  const login = parseClusterAccess(secretText(tls, ACCESS_KEY))?.current;
  if (login === undefined) return { kind: "silent", why: "the nodes have not been given the login of the cluster yet" };
  if (authority.next === undefined && authority.former === undefined) return { kind: "able", holders: [] };
  const own = mountedHolder(tls, authority);
  const answers = await deps.askNodes(owner, login, secretText(tls, "ca.crt"));
  const nodes = answers.map(({ pod: name, said }) =>
    typeof said === "string" ? { name, why: said } : { name, ...said },
  );
  const newest = authorityId((authority.next ?? authority.current).certificate);
  const isMounted = own.trusts.includes(newest);
  const rigger = isMounted ? await renewedRigger(deps.kube, owner, newest) : [];
  return { kind: "able", holders: [own, ...nodes, ...rigger, ...databases(deps, owner, authority)] };
}

/** What nodes and rigger are to have. */
function mountedHolder(
  tls: Stored<Secret>,
  { trusted }: ClusterAuthority,
): Extract<Holder, { readonly trusts: unknown }> {
  const shown = ["tls.crt", "engine.crt"].map((key) => secretText(tls, key));
  return {
    name: `the Secret ${tls.metadata.name}`,
    trusts: authoritiesIn(secretText(tls, "ca.crt")),
    shows: signersOf(shown, trusted),
  };
}

/** The Secrets from which clients take what they trust, of databases whose certificate is by the authority of the cluster. */
function databases(
  { cache }: HolderDeps,
  { namespace, view }: Owner,
  { trusted }: ClusterAuthority,
): readonly Holder[] {
  const ids = authoritiesIn(trusted);
  return cache.databases.list().flatMap(({ metadata, spec, status = {} }) => {
    const isOurs = status.cluster === view.name && spec.certificateSecretName === undefined;
    if (!isOurs || metadata.namespace !== namespace || status.authorityDigest === undefined) return [];
    const name = `ca.crt of the database ${metadata.name}`;
    return [{ name, trusts: status.authorityDigest === authorityDigest(trusted) ? ids : [], shows: [] }];
  });
}
