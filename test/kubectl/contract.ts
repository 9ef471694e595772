import { copyFile, mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
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
export async function contract(
  title: string,
  namespace: string,
  binaries: readonly KubectlBinary[],
  rules: readonly RuleDefinition[],
  servers: readonly Subject[] = subjects(),
): Promise<void> {
  if (binaries.length === 0) await test(title, { skip: "no kubectl on PATH or in STORE_KUBECTL" }, () => undefined);
  for (const subject of servers)
    for (const binary of binaries) {
      const name = `${title} (kubectl ${binary.version}, ${subject.title})`;
      await test(name, { concurrency: 3, skip: subject.skip }, async (t) => {
        await using pair = await openPair(namespace, subject, binary);
        const running: Promise<void>[] = [];
        const rule: Rule = (each, body, { embeddedOnly = false } = {}) => {
          running.push(t.test(each, { skip: subject.kind === "embedded" ? false : embeddedOnly }, body));
        };
        for (const define of rules) define(rule, pair.kubectl);
        await Promise.all(running);
      });
    }
}

interface Pair extends AsyncDisposable {
  readonly kubectl: Kubectl;
}

/** Starts the server, with the Cache definition and the namespace. */
async function openPair(namespace: string, subject: Subject, binary: KubectlBinary): Promise<Pair> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await mkdtempDisposable(join(tmpdir(), "store-kubectl-"))).path;
  const running = stack.use(await subject.start({ controllers: false }));
  const kubeconfig = join(home, "kubeconfig");
  await copyFile(running.kubeconfig, kubeconfig);
  const kubectl = bindKubectl(binary, kubeconfig, home);
  await kubectl.given(together(CACHE_DEFINITION, namespaceDocument(namespace)), "apply -f -");
  stack.defer(async () => void (await kubectl.run(`delete namespace ${namespace} --wait=false`)));
  await kubectl("wait --for=condition=Established crd/caches.demo.example.com --timeout=60s");
  const owned = stack.move();
  return { kubectl, [Symbol.asyncDispose]: () => owned.disposeAsync() };
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
