import { randomBytes } from "node:crypto";
import { test, type TestContext } from "node:test";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import type { KubeConfig } from "#kit/kube/kubeconfig";
import type { Kube } from "#kit/kube/kube";
import { openClients, type ApiClient } from "#kubernetes/testing/api-client";
import { until } from "#kit/testing/until";
import type { Subject } from "./servers.ts";

/** What a rule works with: a running Kubernetes, and a namespace of its rule set. */
export interface RuleContext extends ApiClient {
  readonly kind: Subject["kind"];
  readonly config: KubeConfig;
  readonly kube: Kube;
  readonly namespace: string;
  /** The path of `configmaps` or `apps/v1/deployments` in the namespace, and of what is named below it. */
  at(resource: string, name?: string): string;
  /** A client with this token, or with none, instead of the administrator's certificate. */
  as(token: string | undefined): ApiClient;
  /** Undoes something outside the namespace after the last rule of the set. */
  cleanUp(undo: () => Promise<void>): void;
}

/** Defines one rule; `unless` says why a kind of server is exempt, `needs` which part of a server it needs. */
export type Rule = (title: string, body: (context: RuleContext) => Promise<void>, options?: RuleOptions) => void;

export interface RuleOptions {
  readonly unless?: Partial<Record<Subject["kind"], string>>;
  readonly needs?: "controllers";
}

/** Rules about one topic. */
export interface RuleSet {
  readonly title: string;
  /** Runs once before the rules, for instance to install a definition. */
  readonly prepare?: (context: RuleContext) => Promise<void>;
  /** Each function defines some of the rules. */
  readonly rules: readonly ((rule: Rule) => void)[];
}

/** Runs the rule sets one after the other against one Kubernetes that is started for them. */
export async function conformanceSuite(subject: Subject, ruleSets: readonly RuleSet[]): Promise<void> {
  await test(subject.title, { skip: subject.skip }, async (t) => {
    await using server = await subject.start();
    const config = loadKubeConfig({ KUBECONFIG: server.kubeconfig });
    for (const ruleSet of ruleSets)
      await t.test(ruleSet.title, { concurrency: 4 }, (each) => playRuleSet(each, subject, ruleSet, config));
  });
}

async function playRuleSet(t: TestContext, subject: Subject, ruleSet: RuleSet, config: KubeConfig): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const context = await openContext(subject, config, stack);
  await ruleSet.prepare?.(context);
  const running: Promise<void>[] = [];
  const rule: Rule = (title, body, options = {}) => {
    running.push(t.test(title, { skip: reasonToSkip(subject, options) }, () => body(context)));
  };
  for (const define of ruleSet.rules) define(rule);
  await Promise.all(running);
}

function reasonToSkip(subject: Subject, { unless = {}, needs }: RuleOptions): string | false {
  if (needs === "controllers" && !subject.hasControllers)
    return "there is no kube-controller-manager among its programs";
  return unless[subject.kind] ?? false;
}

async function openContext(subject: Subject, config: KubeConfig, stack: AsyncDisposableStack): Promise<RuleContext> {
  const clients = openClients(() => config);
  const kube = connect(config);
  stack.defer(() => clients.close());
  stack.defer(() => kube.close());
  const namespace = `conformance-${randomBytes(4).toString("hex")}`;
  await kube.raw("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  stack.defer(async () => {
    await kube.raw("DELETE", `/api/v1/namespaces/${namespace}`);
  });
  const at = (resource: string, name?: string): string => {
    const parts = resource.split("/");
    const root = parts.length === 1 ? "/api/v1" : `/apis/${parts.slice(0, 2).join("/")}`;
    return [root, "namespaces", namespace, parts.at(-1), ...(name === undefined ? [] : [name])].join("/");
  };
  await awaitDefaults(subject, clients.admin, at);
  const cleanUp = (undo: () => Promise<void>): void => stack.defer(undo);
  return { ...clients.admin, as: clients.as, kind: subject.kind, config, kube, namespace, at, cleanUp };
}

/** Waits for what controllers put into each namespace: without the service account, pods are refused. */
async function awaitDefaults(subject: Subject, { send }: ApiClient, at: RuleContext["at"]): Promise<void> {
  const wanted = { serviceaccounts: "default", configmaps: "kube-root-ca.crt" };
  for (const [plural, name] of Object.entries(wanted)) {
    if (!subject.hasControllers) await send("POST", at(plural), { body: { metadata: { name } } });
    await until(`${name} is there`, async () => (await send("GET", at(plural, name))).code === 200);
  }
}
