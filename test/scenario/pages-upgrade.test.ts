import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { foundKubectls } from "../api-servers/kubectls.ts";
import { tallyArchive } from "../kit/modules/module-archive.ts";
import { openDesk, untypable } from "../kit/pages/desk.ts";
import { typistOf, type Typist } from "../kit/pages/typist.ts";
import { steps } from "../kit/scenario/step.ts";
import type { Shell } from "../kit/world/shell.ts";

/** Where the pages are typed. */
interface Scene extends Pick<Typist, "type"> {
  readonly dir: string;
  readonly shell: Shell;
}

const OPERATIONS = "docs/operations.md";
const UPGRADES = "docs/upgrades.md";

test(
  "the pages about upgrades and operation, typed block by block as they stand there",
  { skip: untypable(foundKubectls()) },
  async () => {
    await using desk = await openDesk();
    const typist = typistOf("test/scenario/pages-upgrade.test.ts", desk.shell);
    await steps<Scene>(
      { dir: desk.dir, shell: desk.shell, type: typist.type },
      {
        "the local world is started": runWorld,
        "an older release is installed": installOlder,
        "operator and cluster are upgraded": upgrade,
        "it is looked into": look,
        "people and Secrets get their rights": grant,
        "scripts, parameters and nodes": operate,
        "licence, modules and volumes": extend,
        "all of it is removed": remove,
      },
    );
    typist.assertComplete();
  },
);

const RUNNING = "kubectl wait rec/rec --for=jsonpath='{.status.state}'=Running --timeout=180s";
const READY = "kubectl wait redb/orders --for=condition=Ready --timeout=120s";
/** The id of a finding, as jsonpath finds it. */
const idOf = (finding: string): string => `{.status.findings[?(@.id=="${finding}")].id}`;
const CLI = `redis-cli -h "$(kubectl get svc orders -o jsonpath='{.spec.clusterIP}')" -p 10000`;

async function runWorld({ type }: Scene): Promise<void> {
  await type("docs/local-kubernetes.md", "storectl local up");
  await type("docs/storectl.md", "storectl bundle generate");
  await type("docs/storectl.md", "source <(storectl completion bash)");
}

async function installOlder({ shell }: Scene): Promise<void> {
  await shell("storectl bundle generate 8.0.6-8 | kubectl apply -f -");
  await shell("kubectl apply -f deploy/samples/cluster.yaml");
  await shell(RUNNING);
  await shell("kubectl apply -f deploy/samples/database.yaml");
  await shell(READY);
}

async function upgrade({ shell, type }: Scene): Promise<void> {
  await type(UPGRADES, "storectl bundle generate 8.2.0-12");
  await shell("kubectl wait rec/rec --for=condition=ReconcileSuspended --timeout=60s");
  await type(OPERATIONS, 'kubectl patch rec rec --type merge -p \'{"spec":{"storeEnterpriseNodeResources"');
  await type(UPGRADES, 'kubectl patch rec rec --type merge -p \'{"spec":{"storeEnterpriseImageSpec"');
  await shell(RUNNING);
  await type(UPGRADES, "kubectl patch redb orders");
}

async function look({ type }: Scene): Promise<void> {
  await type(OPERATIONS, "kubectl get rec,redb");
  await type(OPERATIONS, "api() {");
  await type(OPERATIONS, "api /v1/nodes     # `memory`");
  await type(OPERATIONS, 'kubectl get rec rec -o jsonpath=\'{.status.findings[?(@.id=="DataSetAside")]');
}

async function grant({ shell, type }: Scene): Promise<void> {
  await type("docs/permissions.md", "storectl role reader");
  await shell("kubectl create secret generic shop-settings --from-literal=password=secret --from-literal=theme=dark");
  await shell("kubectl create secret generic module-login --from-literal=username=a --from-literal=password=b");
  await type("docs/security.md", "kubectl annotate secret shop-settings");
  await type(OPERATIONS, "api /v1/users");
  await type("docs/metrics.md", "password=");
}

async function operate({ shell, type }: Scene): Promise<void> {
  await shell("export REDISCLI_AUTH=$(kubectl get secret redb-orders -o jsonpath='{.data.password}' | base64 -d)");
  await shell(`${CLI} CONFIG SET hash-max-listpack-entries 64`);
  await shell("kubectl wait redb/orders --for=jsonpath='{.status.clientParameters}' --timeout=30s");
  await type(OPERATIONS, "kubectl get redb orders -o jsonpath='{.status.clientParameters}'");
  await shell(`${CLI} EVAL "while true do end" 0 > script.txt 2>&1 &`);
  await shell(`kubectl wait redb/orders --for=jsonpath='${idOf("ScriptRunning")}'=ScriptRunning --timeout=120s`);
  assert.equal((await type(OPERATIONS, "export REDISCLI_AUTH")).at(-1), "OK");
  await type(OPERATIONS, "kubectl delete pod rec-1");
  await shell(
    "kubectl wait pod/rec-1 --for=create --timeout=60s && kubectl wait pod/rec-1 --for=condition=Ready --timeout=60s",
  );
}

async function extend({ dir, shell, type }: Scene): Promise<void> {
  await shell(`kubectl patch rec rec --type merge -p '{"spec":{"licenseSecretName":"nosuch"}}'`);
  await shell(`kubectl wait rec/rec --for=jsonpath='${idOf("LicenseNotFound")}'=LicenseNotFound --timeout=120s`);
  await type(OPERATIONS, "kubectl logs deployment/store-enterprise-operator");
  await type(OPERATIONS, "storectl license authority");
  await shell("kubectl wait rec/rec --for=jsonpath='{.status.licenseStatus.shardsLimit}'=40 --timeout=120s");
  await type("docs/shards.md", "kubectl apply -f deploy/samples/sharded-database.yaml");
  await type("docs/shards.md", "storectl reshape carts 3 --dry-run");
  await writeFile(join(dir, "tally.zip"), await tallyArchive({ compatible: "8.2" }));
  await type(OPERATIONS, "api /v2/modules");
  await type(OPERATIONS, 'kubectl patch rec rec --type merge -p \'{"spec":{"persistentSpec"');
}

async function remove({ type }: Scene): Promise<void> {
  await type(OPERATIONS, "for object in");
  await type(OPERATIONS, "kubectl delete redb --all");
  await type(OPERATIONS, "storectl local up");
}
