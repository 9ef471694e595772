import { timestamp } from "../../../../controller-kit/src/kube/timestamp.ts";
import { apiErrors, apiError } from "../faults.ts";
import { at, isJson, jsonAt, textAt, textsAt, type Json } from "../objects/json.ts";
import type { Clock } from "../../../../controller-kit/src/base/clock.ts";
import type { Store } from "../store/store.ts";
import { userOfToken } from "./authenticate.ts";
import { isAllowed, rulesFor, type RequestAttributes } from "./rbac.ts";
import { DEFAULT_AUDIENCE } from "./tokens.ts";
import { AUTHENTICATED, type User } from "./user.ts";

/** What reviews are answered from. */
export interface ReviewContext {
  readonly store: Store;
  readonly tokenKey: Buffer;
  readonly clock: Clock;
}

/** A kind that is answered and never stored. */
export interface ReviewResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** The body with its status. */
  answer(context: ReviewContext, user: User, body: Json, namespace: string): Json;
}

const AUTHORIZATION = { group: "authorization.k8s.io", version: "v1" } as const;
const AUTHENTICATION = { group: "authentication.k8s.io", version: "v1" } as const;

export const reviews: readonly ReviewResource[] = [
  {
    ...AUTHORIZATION,
    kind: "SelfSubjectAccessReview",
    plural: "selfsubjectaccessreviews",
    namespaced: false,
    answer: (context, user, body) => withStatus(body, accessStatus(context, user, body)),
  },
  {
    ...AUTHORIZATION,
    kind: "SubjectAccessReview",
    plural: "subjectaccessreviews",
    namespaced: false,
    answer: (context, _user, body) => withStatus(body, accessStatus(context, subjectOf(body), body)),
  },
  {
    ...AUTHORIZATION,
    kind: "LocalSubjectAccessReview",
    plural: "localsubjectaccessreviews",
    namespaced: true,
    answer: (context, _user, body, namespace) => {
      if (textAt(body, "spec", "resourceAttributes", "namespace") !== namespace) {
        throw apiError(apiErrors.invalid, `spec.resourceAttributes.namespace must be ${namespace}`);
      }
      return withStatus(body, accessStatus(context, subjectOf(body), body));
    },
  },
  {
    ...AUTHORIZATION,
    kind: "SelfSubjectRulesReview",
    plural: "selfsubjectrulesreviews",
    namespaced: false,
    answer: (context, user, body) => withStatus(body, rulesStatus(context, user, textAt(body, "spec", "namespace"))),
  },
  {
    ...AUTHENTICATION,
    kind: "TokenReview",
    plural: "tokenreviews",
    namespaced: false,
    answer: (context, _user, body) => withStatus(body, tokenStatus(context, body)),
  },
  {
    ...AUTHENTICATION,
    kind: "SelfSubjectReview",
    plural: "selfsubjectreviews",
    namespaced: false,
    answer: (context, user, body) => ({
      ...withStatus(body, { userInfo: userInfo(user) }),
      metadata: { creationTimestamp: timestamp(context.clock.now()) },
    }),
  },
];

function withStatus(body: Json, status: Json): Json {
  return { ...body, metadata: { creationTimestamp: null, ...jsonAt(body, "metadata") }, status };
}

function accessStatus(context: ReviewContext, user: User, body: Json): Json {
  const action = actionOf(body);
  return isAllowed(context.store, user, action) ? { allowed: true } : { allowed: false };
}

function actionOf(body: Json): RequestAttributes {
  const resource = at(body, "spec", "resourceAttributes");
  if (isJson(resource)) {
    const optional = (field: string): string | undefined => textAt(resource, field) || undefined;
    return {
      kind: "resource",
      verb: textAt(resource, "verb"),
      group: textAt(resource, "group"),
      plural: textAt(resource, "resource"),
      subresource: optional("subresource"),
      namespace: optional("namespace"),
      name: optional("name"),
    };
  }
  const path = at(body, "spec", "nonResourceAttributes");
  if (isJson(path)) return { kind: "path", verb: textAt(path, "verb"), path: textAt(path, "path") };
  throw apiError(
    apiErrors.invalid,
    "spec.resourceAttributes: exactly one of nonResourceAttributes or resourceAttributes must be specified",
  );
}

function subjectOf(body: Json): User {
  return { name: textAt(body, "spec", "user"), groups: [...textsAt(body, "spec", "groups"), AUTHENTICATED] };
}

function rulesStatus(context: ReviewContext, user: User, namespace: string): Json {
  const everything = user.groups.includes("system:masters");
  const rules = everything ? EVERYTHING : rulesFor(context.store, user, namespace);
  const resourceRules = rules.filter((rule) => textsAt(rule, "resources").length > 0);
  const nonResourceRules = rules.filter((rule) => textsAt(rule, "nonResourceURLs").length > 0);
  return { resourceRules, nonResourceRules, incomplete: false };
}

const EVERYTHING: readonly Json[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

function tokenStatus(context: ReviewContext, body: Json): Json {
  const token = textAt(body, "spec", "token");
  const asked = textsAt(body, "spec", "audiences");
  const audience = asked[0] ?? DEFAULT_AUDIENCE;
  const user = userOfToken(token, context.store, context.tokenKey, context.clock.now(), audience);
  if (user === undefined) return { authenticated: false, error: "invalid bearer token" };
  return { authenticated: true, user: userInfo(user), audiences: [audience] };
}

function userInfo({ name, uid, groups }: User): Json {
  return { username: name, ...(uid === undefined ? {} : { uid }), groups };
}
