import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { subjects, type Subject } from "../conformance/servers.ts";
import { CACHE_DEFINITION, together } from "./fixtures.ts";
import { bindKubectl, foundKubectls, type Kubectl, type KubectlBinary } from "./kubectl.ts";

/** How a rule of the contract is written down; `embeddedOnly` says why a real server is not held to it. */
export type Rule = (title: string, body: () => Promise<void>, options?: { readonly embeddedOnly?: string }) => void;

/**
 * A suite of rules that a real kubectl must find kept: each binary and each Kubernetes at hand gets a namespace and the
 * Cache definition. Without any kubectl the suite is skipped, and says so.
 */
export function contract(
  title: string,
  namespace: string,
  binaries: readonly KubectlBinary[],
  rules: (rule: Rule, kubectl: Kubectl) => void,
  held: readonly Subject[] = subjects(),
): void {
  if (binaries.length === 0) test(title, { skip: "no kubectl on PATH or in STORE_KUBECTL" }, () => undefined);
  for (const subject of held) for (const binary of binaries) hold(title, namespace, subject, binary, rules);
}

function hold(
  title: string,
  namespace: string,
  subject: Subject,
  binary: KubectlBinary,
  rules: (rule: Rule, kubectl: Kubectl) => void,
): void {
  describe(`${title} (kubectl ${binary.version}, ${subject.title})`, { concurrency: 3, skip: subject.skip }, () => {
    const home = mkdtempSync(join(tmpdir(), "store-kubectl-"));
    const kubeconfig = join(home, "kubeconfig");
    const kubectl = bindKubectl(binary, kubeconfig, home);
    const stack = new AsyncDisposableStack();

    before(async () => {
      const running = stack.use(await subject.start({ controllers: false }));
      copyFileSync(running.kubeconfig, kubeconfig);
      await kubectl.given(together(CACHE_DEFINITION, placeNamed(namespace)), "apply -f -");
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
    rules(rule, kubectl);
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
function placeNamed(name: string): string {
  return together(
    `\napiVersion: v1\nkind: Namespace\nmetadata: { name: ${name} }\n`,
    `\napiVersion: v1\nkind: ServiceAccount\nmetadata: { name: default, namespace: ${name} }\n`,
  );
}
