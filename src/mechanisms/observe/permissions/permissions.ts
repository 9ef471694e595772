import type { Clock } from "../../../core/base/clock.ts";
import { messageOf } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import { clusterNames, OPERATOR_NAME } from "../../../core/api/names.ts";
import type { Kube } from "../../../ports/kube/kube.ts";
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

/** What was asked of the authorizer about one subject. */
export type PermissionReview = Reading<readonly MissingPermission[]>;

/** Knows what the operator, its nodes and its riggers may not do. Answers are believed for a while. */
export interface Permissions {
  /** What the operator lacks; an answer older than `freshMs` is asked anew, one that says that something lacks sooner. */
  operator(freshMs: number): Promise<PermissionReview>;
  /** What nodes and rigger of a cluster lack, whose nodes run as the service account `account`. */
  cluster(scope: RoleScope & { readonly account: string }, freshMs: number): Promise<PermissionReview>;
  /** A request was refused: what is believed is asked anew, each permission by itself. */
  invalidate(): void;
}

/** What lacks something is asked again after this long, and doubt is heard this often, in milliseconds. */
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
  /** Who asks; the operator itself when absent. Somebody else has to be allowed to review what others may do. */
  readonly caller?: "operator" | "somebody else";
}

interface Asked {
  readonly at: number;
  readonly answer: Promise<PermissionReview>;
  lacks: boolean;
}

/**
 * Reviews permissions in `namespace`. One request lists the operator's own; only what the list does not show, as lists of some
 * authorizers are not complete, and all of it after a doubt, is asked one by one.
 */
export function reviewPermissions(
  kube: Kube,
  { namespace, home = namespace, clock, log, platform = "kubernetes", caller = "operator" }: ReviewOptions,
): Permissions {
  const asked = new Map<string, Asked>();
  let invalidatedAt = Number.NEGATIVE_INFINITY;
  const believed = (
    key: string,
    freshMs: number,
    ask: () => Promise<readonly MissingPermission[]>,
  ): Promise<PermissionReview> => {
    const now = clock.now().getTime();
    const known = asked.get(key);
    if (known !== undefined && now - known.at < (known.lacks ? Math.min(freshMs, MISSING_MS) : freshMs)) {
      return known.answer;
    }
    const entry: Asked = { at: now, answer: reading(ask(), log), lacks: false };
    asked.set(key, entry);
    void entry.answer.then((answer) => {
      entry.lacks = !answer.read || answer.value.length > 0;
    });
    return entry.answer;
  };
  return {
    operator: (freshMs) =>
      believed("", freshMs, async () => {
        const isInvalidated = clock.now().getTime() - invalidatedAt < INVALIDATE_MS;
        const needs = operatorNeeds(platform);
        if (caller === "somebody else") {
          const denied = await lackingOf(needs, (need) => askAccess(kube, namespace, OPERATOR_NAME, need, home));
          return denied.map((need) => ({ ...need, namespace, home, role: OPERATOR_NAME }));
        }
        const unlisted = isInvalidated ? needs : await askOwnRules(kube, namespace, needs);
        const missing = await lackingOf(unlisted, (need) => askOwnAccess(kube, namespace, need));
        return missing.map((need) => ({ ...need, namespace, home, role: OPERATOR_NAME }));
      }),
    cluster: ({ account, ...cluster }, freshMs) =>
      believed(`${cluster.name} ${cluster.nodes} ${account}`, freshMs, async () => {
        const scope = { ...cluster, platform };
        const rigger = clusterNames.rigger(scope.name);
        const ask = async (who: "node" | "rigger", user: string, role: string): Promise<MissingPermission[]> => {
          const missing = await lackingOf(clusterNeeds(who, scope), (need) => askAccess(kube, namespace, user, need));
          return missing.map((need) => ({ ...need, namespace, home: namespace, role }));
        };
        const lacking = await Promise.all([ask("node", account, scope.name), ask("rigger", rigger, rigger)]);
        return lacking.flat();
      }),
    invalidate: () => {
      const now = clock.now().getTime();
      if (now - invalidatedAt < INVALIDATE_MS) return;
      invalidatedAt = now;
      asked.clear();
    },
  };
}

async function lackingOf(needs: readonly Need[], isAllowed: (need: Need) => Promise<boolean>): Promise<Need[]> {
  const verdicts = await Promise.all(needs.map(isAllowed));
  return needs.filter((_, index) => verdicts[index] === false);
}

async function reading(asking: Promise<readonly MissingPermission[]>, log: Log): Promise<PermissionReview> {
  try {
    return { read: true, value: await asking };
  } catch (error) {
    log.warn("permissions cannot be reviewed", { reason: messageOf(error) });
    return { read: false, why: messageOf(error) };
  }
}
