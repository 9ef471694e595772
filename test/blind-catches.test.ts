import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesBelow } from "./kit/architecture/import-graph.ts";

const ROOT = join(import.meta.dirname, "..");

/** How often each file catches what it does not look at, and why that hides nothing. A pause that ends early is none. */
const BLIND: Readonly<Record<string, number>> = {
  // it is no text of that form, and the caller says or does what follows
  "packages/controller-kit/src/pki/trust.ts": 1,
  "packages/kubernetes-in-process/src/apiserver/patch/json-patch.ts": 1,
  "packages/kubernetes-in-process/src/apiserver/schema/pattern.ts": 2,
  "src/programs/agent/node/epochs.ts": 1,
  "src/programs/proxy/protocol/request-scanner.ts": 1,
  // the file or process is not there, or not to be used
  "packages/controller-kit/src/processes/control-groups.ts": 1,
  "packages/controller-kit/src/processes/cpu-limit.ts": 1,
  "packages/controller-kit/src/processes/open-file-limit.ts": 1,
  "packages/controller-kit/src/processes/tcp-table.ts": 2,
  "packages/kubernetes-in-process/src/kubelet/container/same-process.ts": 1,
  "src/mechanisms/observe/environment/base-system.ts": 1,
  "src/mechanisms/supervisor/engine-probe.ts": 1,
  "src/mechanisms/supervisor/engines.ts": 3,
  "src/mechanisms/supervisor/failed-starts.ts": 1,
  "src/mechanisms/supervisor/leftovers.ts": 2,
  "src/mechanisms/supervisor/restored-data.ts": 2,
  "src/programs/agent/runtime/mounted-secret.ts": 1,
  // why an upload is given up counts; what is left of it there is ended by the next attempt
  "src/ports/object-store/upload.ts": 1,
  // another part has the same failure
  "packages/controller-kit/src/base/in-turn.ts": 1,
  "packages/controller-kit/src/kube/informer.ts": 1,
  "src/mechanisms/migration/migration.ts": 1,
  "src/mechanisms/observe/sites/sites.ts": 1,
  "src/mechanisms/site/operations/pending-reads.ts": 1,
  "src/mechanisms/site/operations/expiry-looks.ts": 1,
  "src/mechanisms/site/operations/key-looks.ts": 1,
  "src/mechanisms/site/site-waits.ts": 1,
  "src/mechanisms/site/transfer/take-all.ts": 1,
  "src/programs/agent/api/databases/databases.ts": 1,
  "src/programs/agent/observation/engine-watch.ts": 1,
  "src/programs/cli/migrate/lead-in.ts": 1,
  "src/programs/link/transport/compression.ts": 2,
  "src/programs/mover/source/key-copies.ts": 1,
  "src/programs/operator/cluster/own-secrets.ts": 1,
  "src/programs/operator/database/cluster.ts": 1,
  // an engine or child does not answer: it is asked again, counted, or shown as not known
  "src/mechanisms/supervisor/engine-modules.ts": 2,
  "src/mechanisms/supervisor/loaded-file.ts": 1,
  "src/programs/agent/node/proxy-worker.ts": 1,
  "src/programs/agent/observation/measurements.ts": 1,
  "src/programs/demo/sites/clients.ts": 1,
  "src/programs/proxy/endpoint/shared-scripts.ts": 1,
  "src/programs/proxy/scan/engine-run.ts": 1,
  "src/programs/proxy/session/client-filters.ts": 1,
  "src/programs/proxy/upstream/command-catalogue.ts": 1,
  "src/programs/proxy/upstream/unblocking.ts": 1,
  "src/programs/proxy/upstream/upstream.ts": 1,
};

test("an error is looked at where it is caught, or passes: a new place that does neither is named here", () => {
  assert.equal(blindCatches("work().catch(() => undefined);"), 1);
  assert.equal(blindCatches("} catch {"), 1);
  assert.equal(blindCatches("clock.sleep(1, signal).catch(() => undefined);"), 0);
  assert.equal(blindCatches("} catch (error) {"), 0);
  const files = filesBelow(ROOT, ["packages", "src"]).filter((file) => !/\.test\.ts$|\/testing\//.test(file));
  const found = files
    .map((file) => [file, blindCatches(readFileSync(join(ROOT, file), "utf8"))] as const)
    .filter(([, count]) => count > 0);
  assert.deepEqual(Object.fromEntries(found), BLIND);
});

function blindCatches(text: string): number {
  return text.split("\n").filter((line) => /\bcatch \{|\.catch\(\(\) =>/.test(line) && !/\bsleep\(/.test(line)).length;
}
