import {
  leftToUsers,
  planWebhook,
  webhookFacts,
  type WebhookDecision,
} from "../../../core/planner/operator/webhook.ts";
import type { Reading, WebhookFacts } from "../../../core/planner/prerequisites/environment.ts";
import { readAdmissionRoute } from "../../../mechanisms/observe/environment/installed.ts";
import { messageOf } from "#kit/base/fault";
import { lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { isPerformed, type AdmissionDeps } from "./acts.ts";
import { installedWebhooks } from "./installed.ts";
import { admissionSecretReconciler } from "./secret.ts";

/** What is known of admission, for the conditions of clusters. */
export interface AdmissionReport {
  /** Undefined before the first look. */
  readonly statement: () => WebhookDecision["statement"] | undefined;
  /** What upgrades are judged by, after the first look; undefined while what it found is being put right. */
  readonly facts: () => Promise<Reading<WebhookFacts> | undefined>;
}

/** How often the secret is looked at, and the configuration where the operator may; in milliseconds. */
const LOOK_MS = 1_000;
const FORBIDDEN_MS = 3_000;
/** When a refused act is tried again while all else is as it was, in milliseconds. */
const REFUSED_MS = 30_000;

/** Keeps the certificate of the webhook, and its configuration where the operator may; one act a pass. */
export function admissionReconciler(deps: AdmissionDeps): AdmissionReport & { reconcile(): Promise<Outcome> } {
  const keepSecret = admissionSecretReconciler(deps);
  let statement: WebhookDecision["statement"] | undefined;
  let facts: Reading<WebhookFacts> | undefined;
  let askAgainAt = 0;
  const actUnlessRefused = startActing(deps);
  const age = startAge();
  const firstLook = Promise.withResolvers<void>();
  const look = async (): Promise<Outcome> => {
    const certificate = await keepSecret();
    const now = deps.clock.uptimeMs();
    if (now < askAgainAt) return lookAgain(LOOK_MS);
    const installed = await installedWebhooks(deps.kube);
    const route = await readAdmissionRoute(deps.kube, deps.namespace);
    const found = JSON.stringify(installed);
    const trustedForMs = age.of(found, now);
    const [namespace, watched] = [deps.namespace, deps.watched.names()];
    const decision = planWebhook({ namespace, watched, certificate, trustedForMs, route, installed });
    if (installed === undefined) askAgainAt = now + FORBIDDEN_MS;
    const { step } = decision;
    const isCared = await actUnlessRefused(step, { found, now, certificate });
    statement = isCared ? decision.statement : leftToUsers(decision.statement, namespace);
    const isChanging = isCared && step.kind === "act" && step.act.kind !== "guard";
    facts = isChanging ? undefined : webhookFacts(installed, { certificate, route, namespace });
    return lookAgain(LOOK_MS);
  };
  const fail = (error: unknown): never => {
    facts = { read: false, why: messageOf(error) };
    throw error;
  };
  return {
    statement: () => statement,
    facts: async () => {
      await firstLook.promise;
      return facts;
    },
    reconcile: () => look().catch(fail).finally(firstLook.resolve),
  };
}

interface ActedOn {
  /** What the decision was made from. */
  readonly found: string;
  readonly now: number;
  readonly certificate: string;
}

/** Does what a step says, unless it was refused a moment ago while all else was as it is; false when it is refused. */
function startActing(deps: AdmissionDeps): (step: WebhookDecision["step"], on: ActedOn) => Promise<boolean> {
  let refused: { readonly what: string; readonly at: number } | undefined;
  return async (step, { found, now, certificate }) => {
    if (step.kind !== "act") {
      refused = undefined;
      return true;
    }
    const { act } = step;
    const what = `${act.kind} ${found}`;
    if (refused?.what === what && now - refused.at < REFUSED_MS) return false;
    const isDone = await isPerformed(deps, act, certificate);
    refused = isDone ? undefined : { what, at: now };
    return isDone;
  };
}

/** For how long something has been as it is. */
function startAge(): { of(text: string, now: number): number } {
  let seen: string | undefined;
  let since = 0;
  return {
    of: (text, now) => {
      if (text !== seen) [seen, since] = [text, now];
      return now - since;
    },
  };
}
