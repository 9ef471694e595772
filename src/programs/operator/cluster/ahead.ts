import { deleteObjects } from "../../../core/api/kubectl.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { asWarning, warn } from "../../../core/planner/findings/finding.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { Kube } from "#kit/kube/kube";
import { forbiddenFinding, type ForbiddenDeps } from "../context/forbidden.ts";
import { ownedMeta } from "../objects/meta.ts";
import { prepareSecrets } from "../secrets/prepare.ts";
import type { OwnSecrets } from "./own-secrets.ts";

/** With what Secrets are kept ahead of what nodes need. */
export interface AheadDeps extends ForbiddenDeps {
  readonly kube: Kube;
  readonly cache: Pick<InformerCache, "secrets">;
  readonly ownSecrets: OwnSecrets;
}

/**
 * Makes the Secrets that the next databases and users get, and reports the names that others have taken. A refusal of Kubernetes is a finding:
 * new databases wait for it, and upgrades do not.
 */
export async function keepAhead(deps: AheadDeps, observation: ClusterObservation): Promise<readonly Finding[]> {
  await deps.ownSecrets.synced;
  const { ahead, taken, passedOver } = deps.ownSecrets.of(observation);
  const foreign = [
    ...(taken.length === 0 ? [] : [foreignFinding(taken)]),
    ...(passedOver.length === 0 ? [] : [passedOverFinding(passedOver)]),
  ];
  try {
    await prepareSecrets(
      { kube: deps.kube, secrets: deps.cache.secrets },
      ahead.map((name) => ownedMeta(observation, name)),
    );
    return foreign;
  } catch (error) {
    const refused = await forbiddenFinding(deps, observation.namespace, error);
    if (refused === undefined) throw error;
    return [...foreign, asWarning(refused)];
  }
}

/** Whether all Secrets that are made ahead are there, and no other Secret has one of their names. */
export function isAhead({ cache, ownSecrets }: AheadDeps, observation: ClusterObservation): boolean {
  const { namespace } = observation;
  const { ahead, taken, passedOver } = ownSecrets.of(observation);
  return (
    taken.length === 0 &&
    passedOver.length === 0 &&
    ahead.every((name) => cache.secrets.get({ name, namespace }) !== undefined)
  );
}

function foreignFinding(names: readonly string[]): Finding {
  const named = names.map((name) => `"${name}"`).join(", ");
  const evidence =
    names.length === 1
      ? `the Secret ${named} is there, and has no mark of this cluster: the number in its name is passed over`
      : `the Secrets ${named} are there, and have no mark of this cluster: the numbers in their names are passed over`;
  return warn("ObjectNotOurs", evidence, `when nothing else needs it: ${deleteObjects("secret", names)}`);
}

/** Each Secret costs an object of the namespace: a node that uses up numbers without end gets no more. */
function passedOverFinding(names: readonly string[]): Finding {
  const evidence =
    `${names.length} Secrets were made for databases and users, and nodes have counted past them without filling them: no more are made, ` +
    `and no database or user is, until they are gone`;
  return warn(
    "SecretsPassedOver",
    evidence,
    `look what the nodes did (their audit logs), then: ${deleteObjects("secret", names)}`,
  );
}
