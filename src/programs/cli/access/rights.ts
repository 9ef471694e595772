import { z } from "zod";
import { getObjects } from "../../../core/api/kubectl.ts";
import { Fault, isFault } from "#kit/base/fault";
import { type Logins, type Person } from "../../../core/releases/permissions/person-roles.ts";
import {
  accessText,
  grantRolesCommand,
  rolesThatGive,
  type Access,
} from "../../../core/releases/permissions/person-grants.ts";
import { askOwnAccess } from "../../../mechanisms/observe/permissions/access-reviews.ts";
import { faults as kubeFaults } from "#kit/kube/faults";
import type { Kube } from "#kit/kube/kube";
import { faults } from "../faults.ts";

/** Where rights are asked for. */
export interface RightsPlace {
  readonly kube: Kube;
  readonly namespace: string;
}

/** The entries of `wanted` that the caller lacks, as the authorizer says. */
export async function missingRights(kube: Kube, wanted: readonly Access[]): Promise<readonly Access[]> {
  const answers = await Promise.all(wanted.map((access) => askOwnAccess(kube, access.namespace, access)));
  return wanted.filter((_, index) => answers[index] === false);
}

/** CLI_PERMISSIONS_MISSING when something is missing: names each, and the line that grants them; nothing was begun. */
export async function refuseMissing(place: RightsPlace, missing: readonly Access[], cluster: string): Promise<void> {
  if (missing.length === 0) return;
  const { text, remedy } = await lackOf(place, missing, cluster);
  const { code, retry } = faults.permissionsMissing;
  throw new Fault({ code, retry, remedy }, `nothing was begun: ${text}`);
}

/** What a person lacks, for people. */
export interface Lack {
  /** `alice may not list pods (namespace default)`. */
  readonly text: string;
  /** The line by which it is granted. */
  readonly remedy: string;
}

/** Words for what is missing, each once. */
export async function lackOf(
  { kube, namespace }: RightsPlace,
  missing: readonly Access[],
  cluster?: string,
): Promise<Lack> {
  const once = [...new Map(missing.map((access) => [accessText(access), access])).values()];
  const person = await whoAsks(kube);
  return {
    text: lackText(once, person, namespace),
    remedy: grantOf(once, person, namespace, loginsOf(once, cluster)),
  };
}

const details = z.object({
  access: z.object({
    verb: z.string(),
    group: z.string(),
    resource: z.string(),
    name: z.string().optional(),
    namespace: z.string().optional(),
  }),
});

/** The right that a refused request lacks; undefined of any other error. */
export function lackingRight(error: unknown): Access | undefined {
  return isFault(error, kubeFaults.forbidden) ? details.safeParse(error.details).data?.access : undefined;
}

/**
 * A refusal as the person who asked needs it: the missing right, and the command with which another person grants it; other errors stay as they
 * are.
 */
export async function refusalForPerson(error: unknown, { kube, namespace }: RightsPlace): Promise<unknown> {
  const access = lackingRight(error);
  if (access === undefined || !(error instanceof Fault)) return error;
  // what admission or a quota has refused, no Role gives
  if (await askOwnAccess(kube, access.namespace, access)) return error;
  const { text, remedy } = await lackOf({ kube, namespace }, [access]);
  const { code, retry } = error;
  return new Fault({ code, retry, remedy }, text, error.details, error);
}

/** The Secrets that were asked for are those of a cluster, or another one with its login. */
function loginsOf(asked: readonly Access[], cluster?: string): Logins {
  const names = asked.flatMap(({ resource, name }) => (resource === "secrets" && name !== undefined ? [name] : []));
  const clusters = [...new Set(cluster === undefined ? names.map(clusterOf) : [cluster])];
  const own = clusters.flatMap((name) => [name, `${name}${NODE_TLS}`]);
  return { clusters, secrets: names.filter((name) => !own.includes(name)) };
}

const NODE_TLS = "-node-tls";

function clusterOf(secret: string): string {
  return secret.endsWith(NODE_TLS) ? secret.slice(0, -NODE_TLS.length) : secret;
}

const review = z.object({ status: z.object({ userInfo: z.object({ username: z.string() }) }) });

/** The user that the API server takes the caller for; undefined where it does not say, as before Kubernetes 1.28. */
async function whoAsks(kube: Kube): Promise<Person | undefined> {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  try {
    const answer = await kube.raw("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", body);
    return personOf(review.parse(JSON.parse(answer)).status.userInfo.username);
  } catch (error) {
    if (isFault(error, kubeFaults.notFound) || isFault(error, kubeFaults.forbidden)) return undefined;
    throw error;
  }
}

function personOf(username: string): Person {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? [];
  if (namespace === undefined || name === undefined) return { kind: "User", name: username };
  return { kind: "ServiceAccount", namespace, name };
}

function lackText(missing: readonly Access[], person: Person | undefined, namespace: string): string {
  const { name, namespace: home } = person ?? { name: "you", namespace: undefined };
  const who = home === undefined ? name : `system:serviceaccount:${home}:${name}`;
  return `${who} may not ${missing.map(accessText).join(", ")} (namespace ${namespace})`;
}

/** Rights that no ready Role gives have to come from the administrator of Kubernetes. */
function grantOf(missing: readonly Access[], person: Person | undefined, namespace: string, logins: Logins): string {
  const { roles, left } = rolesThatGive(missing, logins);
  const grant = `A user who may grant permissions runs: ${grantRolesCommand(roles, person, { namespace, logins })}`;
  const others = `No ready Role gives ${left.map(accessText).join(", ")}: ask who administers Kubernetes (${getObjects("clusterroles")})`;
  return [...(roles.length === 0 ? [] : [grant]), ...(left.length === 0 ? [] : [others])].join("\n  ");
}
