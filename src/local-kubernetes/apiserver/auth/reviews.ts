import { refusals, refuse } from "../faults.ts";
import { at, isJson, jsonAt, textAt, textsAt, type Json } from "../json.ts";
import { timestamp } from "../object.ts";
import type { World } from "../world.ts";
import { userOfToken } from "./authenticate.ts";
import { isAllowed, rulesFor, type Action } from "./rbac.ts";
import { DEFAULT_AUDIENCE } from "./tokens.ts";
import { AUTHENTICATED, type User } from "./user.ts";

/** A kind that is answered and never stored. */
export interface Review {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** The body with its status. */
  answer(world: World, user: User, body: Json, namespace: string): Json;
}

const AUTHORIZATION = { group: "authorization.k8s.io", version: "v1" } as const;
const AUTHENTICATION = { group: "authentication.k8s.io", version: "v1" } as const;

export const reviews: readonly Review[] = [
  {
    ...AUTHORIZATION,
    kind: "SelfSubjectAccessReview",
    plural: "selfsubjectaccessreviews",
    namespaced: false,
    answer: (world, user, body) => withStatus(body, accessStatus(world, user, body)),
  },
  {
    ...AUTHORIZATION,
    kind: "SubjectAccessReview",
    plural: "subjectaccessreviews",
    namespaced: false,
    answer: (world, _user, body) => withStatus(body, accessStatus(world, subjectOf(body), body)),
  },
  {
    ...AUTHORIZATION,
    kind: "LocalSubjectAccessReview",
    plural: "localsubjectaccessreviews",
    namespaced: true,
    answer: (world, _user, body, namespace) => {
      if (textAt(body, "spec", "resourceAttributes", "namespace") !== namespace) {
        throw refuse(refusals.invalid, `spec.resourceAttributes.namespace must be ${namespace}`);
      }
      return withStatus(body, accessStatus(world, subjectOf(body), body));
    },
  },
  {
    ...AUTHORIZATION,
    kind: "SelfSubjectRulesReview",
    plural: "selfsubjectrulesreviews",
    namespaced: false,
    answer: (world, user, body) => withStatus(body, rulesStatus(world, user, textAt(body, "spec", "namespace"))),
  },
  {
    ...AUTHENTICATION,
    kind: "TokenReview",
    plural: "tokenreviews",
    namespaced: false,
    answer: (world, _user, body) => withStatus(body, tokenStatus(world, body)),
  },
  {
    ...AUTHENTICATION,
    kind: "SelfSubjectReview",
    plural: "selfsubjectreviews",
    namespaced: false,
    answer: (world, user, body) => ({
      ...withStatus(body, { userInfo: userInfo(user) }),
      metadata: { creationTimestamp: timestamp(world.clock.now()) },
    }),
  },
];

function withStatus(body: Json, status: Json): Json {
  return { ...body, metadata: { creationTimestamp: null, ...jsonAt(body, "metadata") }, status };
}

function accessStatus(world: World, user: User, body: Json): Json {
  const action = actionOf(body);
  return isAllowed(world.store, user, action) ? { allowed: true } : { allowed: false };
}

function actionOf(body: Json): Action {
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
  throw refuse(
    refusals.invalid,
    "spec.resourceAttributes: exactly one of nonResourceAttributes or resourceAttributes must be specified",
  );
}

function subjectOf(body: Json): User {
  return { name: textAt(body, "spec", "user"), groups: [...textsAt(body, "spec", "groups"), AUTHENTICATED] };
}

function rulesStatus(world: World, user: User, namespace: string): Json {
  const everything = user.groups.includes("system:masters");
  const rules = everything ? EVERYTHING : rulesFor(world.store, user, namespace);
  const resourceRules = rules.filter((rule) => textsAt(rule, "resources").length > 0);
  const nonResourceRules = rules.filter((rule) => textsAt(rule, "nonResourceURLs").length > 0);
  return { resourceRules, nonResourceRules, incomplete: false };
}

const EVERYTHING: readonly Json[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

function tokenStatus(world: World, body: Json): Json {
  const token = textAt(body, "spec", "token");
  const asked = textsAt(body, "spec", "audiences");
  const audience = asked[0] ?? DEFAULT_AUDIENCE;
  const user = userOfToken(token, world.store, world.tokenKey, world.clock.now(), audience);
  if (user === undefined) return { authenticated: false, error: "invalid bearer token" };
  return { authenticated: true, user: userInfo(user), audiences: [audience] };
}

function userInfo({ name, uid, groups }: User): Json {
  return { username: name, ...(uid === undefined ? {} : { uid }), groups };
}
