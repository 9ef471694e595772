import { z } from "zod";
import { messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import type { Kube } from "#kit/kube/kube";
import type { Access } from "../../../core/releases/permissions/person-grants.ts";
import type { Need } from "../../../core/releases/permissions/roles.ts";

const API = "/apis/authorization.k8s.io/v1";
const VERSION = "authorization.k8s.io/v1";

const accessReview = z.object({ status: z.object({ allowed: z.boolean() }) });

const rulesReview = z.object({
  status: z.object({
    resourceRules: z
      .array(
        z.object({
          verbs: z.array(z.string()),
          apiGroups: z.array(z.string()).default([]),
          resources: z.array(z.string()).default([]),
          resourceNames: z.array(z.string()).default([]),
        }),
      )
      .nullable(),
  }),
});
type Rule = NonNullable<z.output<typeof rulesReview>["status"]["resourceRules"]>[number];

/** The entries of `needs` that the authorizer does not list for the caller, by one request; it may allow them all the same. */
export async function askOwnRules(kube: Kube, namespace: string, needs: readonly Need[]): Promise<readonly Need[]> {
  const body = { apiVersion: VERSION, kind: "SelfSubjectRulesReview", spec: { namespace } };
  const answer = await kube.raw("POST", `${API}/selfsubjectrulesreviews`, body);
  const rules = rulesReview.parse(JSON.parse(answer)).status.resourceRules ?? [];
  return needs.filter((need) => !rules.some((rule) => covers(rule, need)));
}

/** Whether the caller is allowed what it needs; without a namespace, on what belongs to none. */
export async function askOwnAccess(
  kube: Kube,
  namespace: string | undefined,
  need: Pick<Access, "verb" | "group" | "resource" | "name">,
): Promise<boolean> {
  const spec = { resourceAttributes: attributesOf(need, namespace) };
  const body = { apiVersion: VERSION, kind: "SelfSubjectAccessReview", spec };
  return isAllowed(await kube.raw("POST", `${API}/selfsubjectaccessreviews`, body));
}

/** Asks without waiting for an answer: undefined, with a log line, while the API server gives none. */
export async function tryAskOwnAccess(
  kube: Kube,
  namespace: string,
  need: Need,
  log: Log,
): Promise<boolean | undefined> {
  try {
    return await askOwnAccess(kube, namespace, need);
  } catch (error) {
    const { verb, resource } = need;
    log.warn("cannot ask what the operator may do", { verb, resource, namespace, reason: messageOf(error) });
    return undefined;
  }
}

/** Whether the service account `account` of the namespace `home` is allowed what it needs in `namespace`. */
export async function askAccess(
  kube: Kube,
  namespace: string,
  account: string,
  need: Need,
  home = namespace,
): Promise<boolean> {
  const spec = {
    user: `system:serviceaccount:${home}:${account}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${home}`, "system:authenticated"],
    resourceAttributes: attributesOf(need, namespace),
  };
  const body = { apiVersion: VERSION, kind: "LocalSubjectAccessReview", metadata: { namespace }, spec };
  return isAllowed(await kube.raw("POST", `${API}/namespaces/${namespace}/localsubjectaccessreviews`, body));
}

function isAllowed(answer: string): boolean {
  return accessReview.parse(JSON.parse(answer)).status.allowed;
}

function attributesOf(
  { group, resource, verb, name }: Pick<Access, "verb" | "group" | "resource" | "name">,
  namespace: string | undefined,
): object {
  const [plural, subresource] = resource.split("/");
  return {
    namespace,
    group,
    verb,
    resource: plural,
    ...(subresource === undefined ? {} : { subresource }),
    ...(name === undefined ? {} : { name }),
  };
}

function covers({ verbs, apiGroups, resources, resourceNames }: Rule, { group, resource, verb, name }: Need): boolean {
  const holds = (list: readonly string[], wanted: string): boolean => list.includes("*") || list.includes(wanted);
  const isNamed = resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name));
  return isNamed && holds(verbs, verb) && holds(apiGroups, group) && holds(resources, resource);
}
