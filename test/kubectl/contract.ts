import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { subjects, type Subject } from "../conformance/servers.ts";
import { CACHE_DEFINITION, together } from "./fixtures.ts";
import { bindKubectl, type Kubectl, type KubectlBinary } from "../kit/kubernetes/kubectl.ts";
import { foundKubectls } from "../api-servers/kubectls.ts";

/** Defines one rule of the contract; `embeddedOnly` says why a real server is exempt. */
export type Rule = (title: string, body: () => Promise<void>, options?: { readonly embeddedOnly?: string }) => void;

/** Defines some rules; they work with the kubectl that is given. */
export type RuleDefinition = (rule: Rule, kubectl: Kubectl) => void;

/**
 * Rules for every kubectl binary and every Kubernetes on this machine. Each pair gets a namespace and the Cache
 * definition. Without a kubectl the rules are skipped, with the reason.
 */
export function contract(
  title: string,
  namespace: string,
  binaries: readonly KubectlBinary[],
  rules: readonly RuleDefinition[],
  servers: readonly Subject[] = subjects(),
): void {
  if (binaries.length === 0) test(title, { skip: "no kubectl on PATH or in STORE_KUBECTL" }, () => undefined);
  for (const subject of servers) for (const binary of binaries) runContract(title, namespace, subject, binary, rules);
}

function runContract(
  title: string,
  namespace: string,
  subject: Subject,
  binary: KubectlBinary,
  rules: readonly RuleDefinition[],
): void {
  describe(`${title} (kubectl ${binary.version}, ${subject.title})`, { concurrency: 3, skip: subject.skip }, () => {
    const home = mkdtempSync(join(tmpdir(), "store-kubectl-"));
    const kubeconfig = join(home, "kubeconfig");
    const kubectl = bindKubectl(binary, kubeconfig, home);
    const stack = new AsyncDisposableStack();

    before(async () => {
      const running = stack.use(await subject.start({ controllers: false }));
      copyFileSync(running.kubeconfig, kubeconfig);
      await kubectl.given(together(CACHE_DEFINITION, namespaceDocument(namespace)), "apply -f -");
      await kubectl("wait --for=condition=Established crd/caches.demo.example.com --timeout=10s");
    });
    after(async () => {
      await kubectl.run(`delete namespace ${namespace} --wait=false`);
      await stack.disposeAsync();
      rmSync(home, { recursive: true });
    });
    const rule: Rule = (name, body, { embeddedOnly } = {}) => {
      test(name, { skip: subject.kind === "embedded" ? false : (embeddedOnly ?? false) }, body);
    };
    for (const define of rules) define(rule, kubectl);
  });
}

/** The newest kubectl, for the whole list. */
export function newest(): readonly KubectlBinary[] {
  return foundKubectls().slice(0, 1);
}

/** All others, for the short list. */
export function others(): readonly KubectlBinary[] {
  return foundKubectls().slice(1);
}

/** A namespace with the service account that a controller would give it. */
function namespaceDocument(name: string): string {
  return together(
    `\napiVersion: v1\nkind: Namespace\nmetadata: { name: ${name} }\n`,
    `\napiVersion: v1\nkind: ServiceAccount\nmetadata: { name: default, namespace: ${name} }\n`,
  );
}
