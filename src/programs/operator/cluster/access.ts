import type { Secret } from "kubernetes-types/core/v1.js";
import { parseClusterAccess, type ClusterAccess, type Login } from "../../../core/api/cluster-access.ts";
import { ACCESS_KEY, clusterNames, ROTATE_PASSWORD_ANNOTATION } from "../../../core/api/names.ts";
import type { ClusterSpec } from "../../../core/api/cluster-spec.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { Clock } from "#kit/base/clock";
import { nextAccessStep, type AccessAct, type NodesView } from "../../../core/planner/cluster/access-rotation.ts";
import { findingBehind, type ActOf } from "../../../core/planner/findings/step.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { Connections } from "../../../mechanisms/observe/management/connections.ts";
import type { EventRecorder } from "#kit/kube/events";
import type { Ref, Stored } from "#kit/kube/kube";
import { readGiven, type GivenDeps } from "../secrets/given.ts";
import { readOwn } from "../secrets/own.ts";
import { secretText } from "../secrets/secret-text.ts";
import { writeUnlessChanged } from "../secrets/write.ts";
import { newPassword } from "../objects/secrets.ts";
import { whyNotAble, type AskNodes } from "./ask-nodes.ts";

export interface AccessDeps extends GivenDeps {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly connections: Pick<Connections, "reread">;
  readonly askNodes: AskNodes;
}

/**
 * Takes the password of a cluster one step further, and answers with the finding for users. The Secret that nodes have mounted stores how far a
 * change is, and each step is one write: an operator that is killed in between goes on from there.
 */
export async function keepAccess(deps: AccessDeps, observation: ClusterObservation): Promise<Finding | undefined> {
  const { kube, clock } = deps;
  const { namespace, view, rec } = observation;
  const own = clusterNames.credentialsSecret(view.name);
  const name = view.spec.clusterCredentialSecretName ?? own;
  const readOwnOf = (secret: string) => readOwn(kube, view.name, { name: secret, namespace }, rec.metadata.uid);
  const given = () => readGiven(deps, { name, namespace }, { kind: "credentials", cluster: view.name });
  const [secret, tls] = await Promise.all([
    name === own ? readOwnOf(own) : given().then((read) => read.secret),
    readOwnOf(clusterNames.nodeTlsSecret(view.name)),
  ]);
  if (tls === undefined) return undefined; // deleted a moment ago, and made again by the next pass
  const access = parseClusterAccess(secretText(tls, ACCESS_KEY));
  const step = nextAccessStep({
    cluster: view.name,
    access,
    secret: { name, login: loginIn(secret), isUsers: view.spec.clusterCredentialSecretName !== undefined },
    asked: rec.metadata.annotations?.[ROTATE_PASSWORD_ANNOTATION],
    nodes: await nodesView(deps, observation, access, secretText(tls, "ca.crt")),
    fresh: newPassword(),
    now: clock.now(),
    overlapMs: view.spec.rotationOverlapSeconds * 1000,
  });
  if (step.kind === "act") await perform(deps, observation, step, { secret, tls });
  return findingBehind(step);
}

/** One write, with the event that says why. */
async function perform(
  { kube, events, connections }: AccessDeps,
  { namespace, view, rec }: ClusterObservation,
  { act, why }: ActOf<AccessAct>,
  { secret, tls }: { readonly secret: Stored<Secret> | undefined; readonly tls: Stored<Secret> },
): Promise<void> {
  if (act.kind === "write-secret") {
    if (secret !== undefined) await writeUnlessChanged(kube, secret, { ...act.login });
    return;
  }
  const said = act.event === undefined ? [] : [{ type: "Normal", reason: act.event, message: why } as const];
  await events.recordAhead(rec, said, () =>
    writeUnlessChanged(kube, tls, { [ACCESS_KEY]: JSON.stringify(act.access) }),
  );
  connections.reread({ name: view.name, namespace });
}

/** Names of the Secrets on which the access to a cluster rests. */
export function accessSecrets(
  cluster: string,
  spec: Pick<ClusterSpec, "clusterCredentialSecretName">,
): readonly string[] {
  return [credentialsOf(cluster, spec), clusterNames.nodeTlsSecret(cluster), clusterNames.authoritySecret(cluster)];
}

function credentialsOf(cluster: string, spec: Pick<ClusterSpec, "clusterCredentialSecretName">): string {
  return spec.clusterCredentialSecretName ?? clusterNames.credentialsSecret(cluster);
}

/** The versions of what can ask for another password and is not in the status: the annotation, and the Secrets between which it passes. */
export function accessVersions({ clusters, secrets }: Pick<InformerCache, "clusters" | "secrets">, ref: Ref) {
  const rec = clusters.get(ref);
  const names = [credentialsOf(ref.name, rec?.spec ?? {}), clusterNames.nodeTlsSecret(ref.name)];
  const versions = names.map((name) => secrets.get({ ...ref, name })?.metadata.resourceVersion);
  return [rec?.metadata.annotations?.[ROTATE_PASSWORD_ANNOTATION], ...versions];
}

/** The versions of the Secrets on which the access to a cluster rests, and which of them is the user's. */
export function secretsVersions({ clusters, secrets }: Pick<InformerCache, "clusters" | "secrets">, ref: Ref) {
  const spec = clusters.get(ref)?.spec ?? {};
  const versions = accessSecrets(ref.name, spec).map((name) => secrets.get({ ...ref, name })?.metadata.resourceVersion);
  return [spec.clusterCredentialSecretName, ...versions];
}

/** Whether the Secrets are there that the operator makes for the access to a cluster. */
export function areSecretsThere(
  { cache }: { readonly cache: Pick<InformerCache, "secrets"> },
  { view, namespace }: Pick<ClusterObservation, "view" | "namespace">,
): boolean {
  const given = view.spec.clusterCredentialSecretName;
  const made = accessSecrets(view.name, view.spec).filter((name) => name !== given);
  return made.every((name) => cache.secrets.get({ name, namespace }) !== undefined);
}

function loginIn(secret: Stored<Secret> | undefined): Login | undefined {
  const [username, password] = [secretText(secret, "username").trim(), secretText(secret, "password").trim()];
  return username === "" || password === "" ? undefined : { username, password };
}

/** Asks the nodes only while something changes. */
async function nodesView(
  deps: AccessDeps,
  observation: ClusterObservation,
  access: ClusterAccess | undefined,
  ca: string,
): Promise<NodesView> {
  const not = whyNotAble(observation);
  if (not !== undefined) return not;
  if (access === undefined || (access.next === undefined && access.former.length === 0))
    return { kind: "able", behind: [] };
  const answers = await deps.askNodes(observation, access.current, ca);
  const behind = answers.flatMap(({ pod, said }) => {
    if (typeof said === "string") return [`${pod}: ${said}`];
    return said.access_revision < access.revision ? [`${pod} has not read it yet`] : [];
  });
  return { kind: "able", behind };
}
