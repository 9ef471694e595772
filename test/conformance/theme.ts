import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { connect } from "../../src/ports/kube/client.ts";
import { loadKubeConfig } from "../../src/ports/kube/config.ts";
import type { KubeConfig } from "../../src/ports/kube/kubeconfig.ts";
import type { Kube } from "../../src/ports/kube/kube.ts";
import { openClients, type ApiClient } from "../kit/kubernetes/api-client.ts";
import { until } from "../kit/time/until.ts";
import type { Subject } from "./servers.ts";

/** What a rule works with: one running Kubernetes, and a namespace that belongs to the rule's theme. */
export interface Scene extends ApiClient {
  readonly kind: Subject["kind"];
  readonly config: KubeConfig;
  readonly kube: Kube;
  readonly namespace: string;
  /** The path of `configmaps` or `apps/v1/deployments` in the scene's namespace, and of what is named below it. */
  at(resource: string, name?: string): string;
  /** A client that brings this token, or nothing, instead of the administrator's certificate. */
  as(token: string | undefined): ApiClient;
  /** Undoes something outside the namespace when the theme is over. */
  afterwards(undo: () => Promise<void>): void;
}

/** Writes down one rule; `unless` says why a kind of server is not held to it, `needs` what a server may be without. */
export type Rule = (title: string, body: (scene: Scene) => Promise<void>, options?: RuleOptions) => void;

export interface RuleOptions {
  readonly unless?: Partial<Record<Subject["kind"], string>>;
  readonly needs?: "controllers";
}

/** Rules about one thing. */
export interface Theme {
  readonly title: string;
  /** Runs once before the rules, for instance to install a definition. */
  readonly prepare?: (scene: Scene) => Promise<void>;
  rules(rule: Rule): void;
}

/** Runs the themes, one after the other, against one Kubernetes that is started for them. */
export function suite(subject: Subject, themes: readonly Theme[]): void {
  describe(subject.title, { skip: subject.skip }, () => {
    const stack = new AsyncDisposableStack();
    let config: KubeConfig | undefined;
    before(async () => {
      const { kubeconfig } = stack.use(await subject.start());
      config = loadKubeConfig({ KUBECONFIG: kubeconfig });
    });
    after(() => stack.disposeAsync());
    for (const theme of themes) {
      runTheme(subject, theme, () => {
        if (config === undefined) throw new Error(`${subject.title} did not start`);
        return config;
      });
    }
  });
}

function runTheme(subject: Subject, theme: Theme, config: () => KubeConfig): void {
  describe(theme.title, { concurrency: 4 }, () => {
    const stack = new AsyncDisposableStack();
    let scene: Scene | undefined;
    before(async () => {
      scene = await openScene(subject, config(), stack);
      await theme.prepare?.(scene);
    });
    after(() => stack.disposeAsync());
    theme.rules((title, body, options = {}) => {
      test(title, { skip: reasonToSkip(subject, options) }, async () => {
        if (scene === undefined) throw new Error(`the scene of ${theme.title} was not set`);
        await body(scene);
      });
    });
  });
}

function reasonToSkip(subject: Subject, { unless = {}, needs }: RuleOptions): string | false {
  if (needs === "controllers" && !subject.hasControllers)
    return "there is no kube-controller-manager among its programs";
  return unless[subject.kind] ?? false;
}

async function openScene(subject: Subject, config: KubeConfig, stack: AsyncDisposableStack): Promise<Scene> {
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
  await furnish(subject, clients.admin, at);
  const afterwards = (undo: () => Promise<void>): void => stack.defer(undo);
  return { ...clients.admin, as: clients.as, kind: subject.kind, config, kube, namespace, at, afterwards };
}

/** What controllers put into each namespace: pods are refused before its service account is there. */
async function furnish(subject: Subject, { send }: ApiClient, at: Scene["at"]): Promise<void> {
  const wanted = { serviceaccounts: "default", configmaps: "kube-root-ca.crt" };
  for (const [plural, name] of Object.entries(wanted)) {
    if (!subject.hasControllers) await send("POST", at(plural), { body: { metadata: { name } } });
    await until(`${name} is there`, async () => (await send("GET", at(plural, name))).code === 200);
  }
}
