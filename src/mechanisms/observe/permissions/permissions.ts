import type { Clock } from "#kit/base/clock";
import { messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { clusterNames, OPERATOR_NAME } from "../../../core/api/names.ts";
import type { Kube } from "#kit/kube/kube";
import type { Reading } from "../../../core/planner/prerequisites/environment.ts";
import type { Platform } from "../../../core/releases/permissions/permission.ts";
import {
  clusterNeeds,
  operatorNeeds,
  type MissingPermission,
  type Need,
  type RoleScope,
} from "../../../core/releases/permissions/roles.ts";
import { askAccess, askOwnAccess, askOwnRules } from "./access-reviews.ts";

/** The missing permissions of one subject, as the authorizer reviewed them. */
export type PermissionReview = Reading<readonly MissingPermission[]>;

/** Reviews what the operator, its nodes and its riggers may not do. Answers are kept for a while. */
export interface Permissions {
  /** What the operator lacks, at most `freshMs` old; sooner reviewed again while something is missing. */
  operator(freshMs: number): Promise<PermissionReview>;
  /** What nodes and rigger of a cluster lack, whose nodes run as the service account `account`. */
  cluster(scope: ClusterScope, freshMs: number): Promise<PermissionReview>;
  /** A request was forbidden: everything is reviewed again, each permission by a request of its own. */
  invalidate(): void;
}

type ClusterScope = RoleScope & { readonly account: string };

/** A review that found something missing is used this long, and answers are invalidated this often, in milliseconds. */
const MISSING_MS = 1_000;
const INVALIDATE_MS = 3_000;

export interface ReviewOptions {
  readonly namespace: string;
  /** Namespace of the operator's account when that is another. */
  readonly home?: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Plain Kubernetes when absent. */
  readonly platform?: Platform;
  /** The operator itself when absent. Another caller needs permission to review the permissions of others. */
  readonly caller?: "operator" | "another";
}

/**
 * Reviews permissions in `namespace`. One request lists the operator's own; only what the list does not show, as lists of some
 * authorizers are not complete, and all of it after `invalidate`, is reviewed one by one.
 */
export function reviewPermissions(kube: Kube, options: ReviewOptions): Permissions {
  const { clock, log } = options;
  const reviews = new Map<string, Review>();
  let invalidatedAt = Number.NEGATIVE_INFINITY;
  const isInvalidated = (): boolean => clock.uptimeMs() - invalidatedAt < INVALIDATE_MS;
  const reviewed = (key: string, freshMs: number, ask: () => Promise<readonly MissingPermission[]>) => {
    const now = clock.uptimeMs();
    const known = reviews.get(key);
    if (known !== undefined && now - known.at < (known.isMissing ? Math.min(freshMs, MISSING_MS) : freshMs)) {
      return known.answer;
    }
    const review: Review = { at: now, answer: reviewOrReason(ask(), log), isMissing: false };
    reviews.set(key, review);
    void review.answer.then((answer) => {
      review.isMissing = !answer.read || answer.value.length > 0;
    });
    return review.answer;
  };
  return {
    operator: (freshMs) => reviewed("", freshMs, () => missingOfOperator(kube, options, isInvalidated())),
    cluster: (scope, freshMs) =>
      reviewed(`${scope.name} ${scope.nodes} ${scope.account}`, freshMs, () => missingOfCluster(kube, options, scope)),
    invalidate: () => {
      if (isInvalidated()) return;
      invalidatedAt = clock.uptimeMs();
      reviews.clear();
    },
  };
}

interface Review {
  readonly at: number;
  readonly answer: Promise<PermissionReview>;
  isMissing: boolean;
}

async function missingOfOperator(
  kube: Kube,
  { namespace, home = namespace, platform = "kubernetes", caller = "operator" }: ReviewOptions,
  isOneByOne: boolean,
): Promise<readonly MissingPermission[]> {
  const needs = operatorNeeds(platform);
  const place = { namespace, home, role: OPERATOR_NAME };
  if (caller === "another") {
    const denied = await missingOf(needs, (need) => askAccess(kube, namespace, OPERATOR_NAME, need, home));
    return denied.map((need) => ({ ...need, ...place }));
  }
  const unlisted = isOneByOne ? needs : await askOwnRules(kube, namespace, needs);
  const missing = await missingOf(unlisted, (need) => askOwnAccess(kube, namespace, need));
  return missing.map((need) => ({ ...need, ...place }));
}

async function missingOfCluster(
  kube: Kube,
  { namespace, platform = "kubernetes" }: ReviewOptions,
  { account, ...cluster }: ClusterScope,
): Promise<readonly MissingPermission[]> {
  const scope = { ...cluster, platform };
  const rigger = clusterNames.rigger(scope.name);
  const ask = async (who: "node" | "rigger", user: string, role: string): Promise<MissingPermission[]> => {
    const missing = await missingOf(clusterNeeds(who, scope), (need) => askAccess(kube, namespace, user, need));
    return missing.map((need) => ({ ...need, namespace, home: namespace, role }));
  };
  const missing = await Promise.all([ask("node", account, scope.name), ask("rigger", rigger, rigger)]);
  return missing.flat();
}

async function missingOf(needs: readonly Need[], isAllowed: (need: Need) => Promise<boolean>): Promise<Need[]> {
  const answers = await Promise.all(needs.map(isAllowed));
  return needs.filter((_, index) => answers[index] === false);
}

async function reviewOrReason(asking: Promise<readonly MissingPermission[]>, log: Log): Promise<PermissionReview> {
  try {
    return { read: true, value: await asking };
  } catch (error) {
    log.warn("permissions cannot be reviewed", { reason: messageOf(error) });
    return { read: false, why: messageOf(error) };
  }
}
