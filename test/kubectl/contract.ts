import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startApiServer } from "../../src/apiserver/server.ts";
import { silentLog } from "../../src/base/log.ts";
import { systemClock } from "../../src/reconcile/system-clock.ts";
import { CACHE_DEFINITION, together } from "./fixtures.ts";
import { bindKubectl, foundKubectls, type Kubectl, type KubectlBinary } from "./kubectl.ts";

/** Names another API server to hold to the same contract, for instance a real kube-apiserver. */
const OTHER_SERVER = process.env["STORE_TEST_KUBECONFIG"];

/** What the log source of the embedded server says for every container. */
export const LOG_LINES = ["first line", "second line", "third line"];

/** How a rule of the contract is written down. */
export type Rule = (title: string, body: () => Promise<void>, options?: { readonly embeddedOnly?: boolean }) => void;

/**
 * A suite of rules that a real kubectl must find kept: each binary gets a server, a namespace and the Cache definition.
 * Without any kubectl the suite is skipped, and says so.
 */
export function contract(
  title: string,
  namespace: string,
  binaries: readonly KubectlBinary[],
  rules: (rule: Rule, kubectl: Kubectl) => void,
): void {
  if (binaries.length === 0) test(title, { skip: "no kubectl on PATH or in STORE_KUBECTL" }, () => undefined);
  for (const binary of binaries) {
    describe(`${title} (kubectl ${binary.version})`, { concurrency: 3 }, () => {
      const home = mkdtempSync(join(tmpdir(), "store-kubectl-"));
      const kubeconfig = join(home, "kubeconfig");
      const kubectl = bindKubectl(binary, OTHER_SERVER ?? kubeconfig, home);
      let close = (): Promise<void> => Promise.resolve();

      before(async () => {
        if (OTHER_SERVER === undefined) close = await embeddedServer(home, kubeconfig);
        const world = together(
          CACHE_DEFINITION,
          `\napiVersion: v1\nkind: Namespace\nmetadata: { name: ${namespace} }\n`,
        );
        await kubectl.given(world, "apply -f -");
        await kubectl("wait --for=condition=Established crd/caches.demo.example.com --timeout=10s");
      });
      after(async () => {
        await kubectl.run(`delete namespace ${namespace} --wait=false`);
        await close();
        rmSync(home, { recursive: true });
      });
      const rule: Rule = (name, body, { embeddedOnly = false } = {}) => {
        test(
          name,
          { skip: embeddedOnly && OTHER_SERVER !== undefined ? "needs what only the embedded server has" : false },
          body,
        );
      };
      rules(rule, kubectl);
    });
  }
}

/** The newest kubectl, for the whole list. */
export function newest(): readonly KubectlBinary[] {
  return foundKubectls().slice(0, 1);
}

/** All others, for the short list. */
export function others(): readonly KubectlBinary[] {
  return foundKubectls().slice(1);
}

async function embeddedServer(home: string, kubeconfig: string): Promise<() => Promise<void>> {
  const server = await startApiServer({
    dataDir: join(home, "data"),
    host: "127.0.0.1",
    port: 0,
    clock: systemClock,
    log: silentLog,
    podLogs: sayLines,
  });
  writeFileSync(kubeconfig, server.kubeconfigs.admin, { mode: 0o600 });
  return () => server.close();
}

async function* sayLines(
  _pod: object,
  container: string,
  { tailLines }: { tailLines?: number },
): AsyncGenerator<Uint8Array> {
  for (const line of LOG_LINES.slice(tailLines === undefined ? 0 : -tailLines)) {
    yield Buffer.from(`${container}: ${line}\n`);
  }
}
