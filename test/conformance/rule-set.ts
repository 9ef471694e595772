import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { connect } from "../../src/ports/kube/client.ts";
import { loadKubeConfig } from "../../src/ports/kube/config.ts";
import type { KubeConfig } from "../../src/ports/kube/kubeconfig.ts";
import type { Kube } from "../../src/ports/kube/kube.ts";
import { openClients, type ApiClient } from "../kit/kubernetes/api-client.ts";
import { until } from "../kit/time/until.ts";
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
export function conformanceSuite(subject: Subject, ruleSets: readonly RuleSet[]): void {
  describe(subject.title, { skip: subject.skip }, () => {
    const stack = new AsyncDisposableStack();
    let config: KubeConfig | undefined;
    before(async () => {
      const { kubeconfig } = stack.use(await subject.start());
      config = loadKubeConfig({ KUBECONFIG: kubeconfig });
    });
    after(() => stack.disposeAsync());
    for (const ruleSet of ruleSets) {
      runRuleSet(subject, ruleSet, () => {
        if (config === undefined) throw new Error(`${subject.title} did not start`);
        return config;
      });
    }
  });
}

function runRuleSet(subject: Subject, ruleSet: RuleSet, config: () => KubeConfig): void {
  describe(ruleSet.title, { concurrency: 4 }, () => {
    const stack = new AsyncDisposableStack();
    let context: RuleContext | undefined;
    before(async () => {
      context = await openContext(subject, config(), stack);
      await ruleSet.prepare?.(context);
    });
    after(() => stack.disposeAsync());
    const rule: Rule = (title, body, options = {}) => {
      test(title, { skip: reasonToSkip(subject, options) }, async () => {
        if (context === undefined) throw new Error(`the context of ${ruleSet.title} could not be prepared`);
        await body(context);
      });
    };
    for (const define of ruleSet.rules) define(rule);
  });
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
