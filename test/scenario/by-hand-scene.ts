import assert from "node:assert/strict";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { startReleaseServer, type ReleaseServer } from "../../src/programs/demo/steps/release-server.ts";
import { bundleFor } from "../../src/core/releases/bundle/bundle.ts";
import { latestRelease, releaseByOperator } from "../../src/core/releases/catalogue/find.ts";
import { release } from "../kit/facts/cluster-view.ts";
import { until } from "#kit/testing/until";
import type { ModuleRepository } from "../kit/modules/module-repository.ts";
import type { Shell } from "../kit/world/shell.ts";

export const ROOT = join(import.meta.dirname, "..", "..");
export const older = release("7.22.2-21");
export const latest = latestRelease();

/** A private registry, and the Secret with the login there (§4.3 rule 3). */
export const REGISTRY = "registry.example.com:5000/store";
export const PULL_SECRET = "registry";

/** What points the operator of a bundle there. */
export const FROM_REGISTRY = `sed -i -e 's|image: storeenterprise/|image: ${REGISTRY}/|' -e 's/^\\( *\\)serviceAccountName: store-enterprise-operator$/&\\n\\1imagePullSecrets: [{ name: ${PULL_SECRET} }]/'`;

/** What is typed at, and where releases are fetched from. */
export interface Scene {
  readonly dir: string;
  readonly type: Shell;
  readonly releases: ReleaseServer;
  readonly modules: ModuleRepository;
}

/** A server of bundles and of the name of the latest release. */
export function startReleases(): Promise<ReleaseServer> {
  return startReleaseServer(`v${latest.operator}`, (tag) => {
    const known = releaseByOperator(tag);
    return known === undefined ? undefined : bundleFor(known);
  });
}

/** Installs the older release with a cluster, a database and a webhook under its old name. */
export async function installOlder({ dir, releases, type }: Scene): Promise<void> {
  await type("npm run -s storectl -- local up");
  await type(`export KUBECONFIG=${dir}/kubeconfig && cd ${dir}`);
  await type(`curl -fsS -o older.yaml ${releases.bundleBaseUrl}/${older.operator}/bundle.yaml`);
  await type(
    `kubectl create secret docker-registry ${PULL_SECRET} --docker-server=${REGISTRY} --docker-username=reader --docker-password=secret`,
  );
  await type(`${FROM_REGISTRY} older.yaml`);
  await type("kubectl apply -f older.yaml");
  await type(`kubectl create -f ${ROOT}/deploy/samples/cluster.yaml --dry-run=client -o yaml > rec.yaml`);
  await appendFile(join(dir, "rec.yaml"), OF_REGISTRY);
  await type("kubectl apply -f rec.yaml");
  await type("kubectl wait rec/rec --for=jsonpath='{.status.state}'=Running --timeout=120s");
  await type(`kubectl apply -f ${ROOT}/deploy/samples/database.yaml`);
  await type("kubectl wait redb/orders --for=condition=Ready --timeout=60s");
  const old = "sed 's/OPERATOR_NAMESPACE/default/g; s/store-enterprise-admission/redb-admission/'";
  await type(`${old} ${ROOT}/deploy/admission/webhook-template.yaml | kubectl create -f -`);
  await type(`kubectl patch ValidatingWebhookConfiguration redb-admission -p '{"webhooks":[${trust}]}'`);
}

/** Further fields of the spec of a cluster, at the older release, whose images are there. */
const OF_REGISTRY = `  pullSecrets: [{ name: ${PULL_SECRET} }]
  storeEnterpriseImageSpec:
    imagePullPolicy: IfNotPresent
    repository: ${REGISTRY}/node
    versionTag: ${older.nodeTag}
  storeEnterpriseServicesRiggerImageSpec: { repository: ${REGISTRY}/services-rigger }
  bootstrapperImageSpec: { repository: ${REGISTRY}/operator }
`;

/** The webhook with the certificate of the secret, within single quotes. */
const certificate = "kubectl get secret admission-tls -o jsonpath={.data.cert}";
const trust = `{"name":"storeenterprise.admission.storeenterprise","clientConfig":{"caBundle":"'$(${certificate})'"}}`;

/** A list that an API has answered. */
export function listOf(body: string): readonly Record<string, unknown>[] {
  const list: unknown = JSON.parse(body);
  assert.ok(Array.isArray(list), body);
  return list;
}

/** An object that an API has answered. */
export function recordOf(body: string): Record<string, unknown> {
  const record: unknown = JSON.parse(body);
  return Object(record);
}

/** The values of a row of a listing that has no spaces in them. */
export function columnsOf(row: string): readonly string[] {
  return row.trim().split(/ +/);
}

/** Memory of the first database of a list that an API has answered. */
export function memoryOf(body: string): unknown {
  return listOf(body)[0]?.["memory_size"];
}

/** Awaits a value that only asking again can show. */
export async function waitFor(read: () => Promise<unknown>, expected: unknown): Promise<void> {
  await until(String(expected), async () => (await read()) === expected, { withinMs: 60_000, everyMs: 200 });
}
