import { clusterNames, ROTATE_AUTHORITY_ANNOTATION } from "../../../core/api/names.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { assertNever } from "#kit/base/assert-never";
import type { Clock } from "#kit/base/clock";
import type { Holder } from "../../../core/planner/cluster/authority-holders.ts";
import { decideAuthority, type AuthorityAct } from "../../../core/planner/cluster/authority-rotation.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { Connections } from "../../../mechanisms/observe/management/connections.ts";
import type { EventRecorder } from "#kit/kube/events";
import type { Ref } from "#kit/kube/kube";
import { lifeOf, type Authority } from "#kit/pki/authority";
import { authorityId } from "#kit/pki/trust";
import { anotherAuthority, authorityIn, type ClusterAuthority } from "../objects/authority.ts";
import type { Owner } from "../objects/meta.ts";
import { readOwn } from "../secrets/own.ts";
import { writeUnlessChanged } from "../secrets/write.ts";
import { holdersView, type HolderDeps } from "./authority-holders.ts";

/** The clusters that link to this one for an Active-Active database, with the authorities by which they know it. */
export type LinkedSites = (owner: Pick<Owner, "namespace" | "view">) => readonly Holder[];

/** With what the authority of a cluster is replaced. */
export interface AuthorityDeps extends HolderDeps {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly linkedSites: LinkedSites;
  readonly connections: Pick<Connections, "reread">;
}

/**
 * Takes the replacement of the authority of a cluster one step further, and answers with the findings for users. The Secret of the authority
 * stores how far it is, and each step is one write: an operator that is killed in between goes on from there.
 */
export async function rotateAuthority(deps: AuthorityDeps, owner: Owner): Promise<readonly Finding[]> {
  const { kube, clock } = deps;
  const { namespace, view, rec } = owner;
  const [secret, tls] = await Promise.all(
    [clusterNames.authoritySecret(view.name), clusterNames.nodeTlsSecret(view.name)].map((name) =>
      readOwn(kube, view.name, { name, namespace }, rec.metadata.uid),
    ),
  );
  const authority = authorityIn(secret);
  if (secret === undefined || tls === undefined || authority === undefined) return []; // made again by the next pass
  const { current, next, former, answered } = authority;
  const { step, findings } = decideAuthority({
    cluster: view.name,
    current: { id: authorityId(current.certificate), ...lifeOf(current.certificate) },
    next: next && { id: authorityId(next.certificate), offered: lifeOf(next.certificate).made },
    former: former === undefined ? undefined : { id: authorityId(former) },
    asked: rec.metadata.annotations?.[ROTATE_AUTHORITY_ANNOTATION],
    answered,
    holders: await holdersView(deps, owner, authority, tls),
    sites: next === undefined ? [] : deps.linkedSites(owner),
    now: clock.now(),
    overlapMs: view.spec.authorityOverlapSeconds * 1000,
  });
  if (step.kind === "act") {
    const values = authorityKeys(authority, step.act, () => anotherAuthority(view.name, clock));
    const event = { type: "Normal", reason: step.act.event, message: step.why } as const;
    await deps.events.recordAhead(rec, [event], () => writeUnlessChanged(kube, secret, values));
    deps.connections.reread({ name: view.name, namespace });
  }
  return findings;
}

/** What asks for another authority: the annotation, and the Secrets that say where the replacement is. */
export function authorityVersions({ clusters, secrets }: Pick<InformerCache, "clusters" | "secrets">, ref: Ref) {
  const names = [clusterNames.authoritySecret(ref.name), clusterNames.nodeTlsSecret(ref.name)];
  const versions = names.map((name) => secrets.get({ ...ref, name })?.metadata.resourceVersion);
  return [clusters.get(ref)?.metadata.annotations?.[ROTATE_AUTHORITY_ANNOTATION], ...versions];
}

/** Keys of the Secret of the authority; undefined takes one away. */
function authorityKeys({ current, next }: ClusterAuthority, act: AuthorityAct, fresh: () => Authority): Keys {
  switch (act.kind) {
    case "offer": {
      const { certificate, key } = fresh();
      const granted = act.answered === undefined ? {} : { answered: act.answered };
      return { "next.crt": certificate, "next.key": key, ...granted };
    }
    case "use":
      // the key of the former one goes with this write: nothing is signed with it any more
      return {
        "ca.crt": (next ?? current).certificate,
        "ca.key": (next ?? current).key,
        "former.crt": current.certificate,
        "next.crt": undefined,
        "next.key": undefined,
      };
    case "end":
      return { "former.crt": undefined };
    default:
      return assertNever(act);
  }
}

type Keys = Readonly<Record<string, string | undefined>>;
