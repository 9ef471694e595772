import { execFile, execFileSync } from "node:child_process";
import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { LICENSE_AUTHORITIES } from "../../src/core/api/license.ts";
import { clusterNames, LICENSE_KEY } from "../../src/core/api/names.ts";
import { messageOf } from "#kit/base/fault";
import { bundleFor } from "../../src/core/releases/bundle/bundle.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { ConfigMaps, Secrets } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import type { Kube } from "#kit/kube/kube";
import { applyManifest } from "#kit/kube/manifest";
import { createLicenseAuthority, signLicense } from "../../src/ports/management/license.ts";
import { until } from "#kit/testing/until";

const ROOT = join(import.meta.dirname, "..", "..");
const STORECTL = join(ROOT, "dist", "bin", "storectl.js");
const NAMESPACE = "default";
/** The cluster of the world. */
export const REC = { name: "rec", namespace: NAMESPACE };
/** How long one step may take on a busy machine. */
export const PATIENCE = { withinMs: 600_000, everyMs: 50 };

/** A local world whose programs are those that are published: compiled. */
export interface BuiltWorld extends AsyncDisposable {
  readonly kube: Kube;
  /** Where it keeps everything; its processes name it. */
  readonly dir: string;
  /** Milliseconds until its Kubernetes answered. */
  readonly upMs: number;
}

/** Compiles what is published into dist/. */
export function build(): void {
  execFileSync(process.execPath, [join(ROOT, "scripts", "build.ts")], { stdio: "inherit" });
}

/** Starts a world by `storectl local up`; it holds nothing yet. */
export async function startBuiltWorld(): Promise<BuiltWorld> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(mkdtempDisposableSync(join(tmpdir(), "bench-world-")));
  const dir = folder.path;
  const env = { ...process.env, STORE_LOCAL_DIR: dir };
  const local = (what: "up" | "down") => {
    const [program = "", ...args] = [...onLargeMachine(dir), process.execPath, STORECTL, "local", what];
    return promisify(execFile)(program, args, { env });
  };
  const began = performance.now();
  stack.defer(async () => void (await local("down")));
  whenInterrupted(async () => {
    await local("down");
    folder.remove();
  });
  await local("up");
  const upMs = performance.now() - began;
  const kube = stack.adopt(connect(loadKubeConfig({ KUBECONFIG: join(dir, "kubeconfig") })), (client) =>
    client.close(),
  );
  const owned = stack.move();
  return { kube, dir, upMs, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Without it the processes of a world would outlive this one. */
function whenInterrupted(end: () => Promise<void>): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      process.stderr.write("\ninterrupted: the world is taken down\n");
      void end()
        .catch((error: unknown) => process.stderr.write(`the world is not down: ${messageOf(error)}\n`))
        .finally(() => process.exit(128 + constants.signals[signal]));
    });
}

/**
 * Prefix of a command that takes this machine for one with more memory: a database is offered 100 MB at least, of which an engine at rest
 * takes 3. Only root can have that; without, there is room for about ten databases in each GiB of the machine.
 */
function onLargeMachine(dir: string): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const file = join(dir, "meminfo");
  writeFileSync(file, readFileSync("/proc/meminfo", "utf8").replace(/^MemTotal:.*$/m, `MemTotal: ${MEMORY_KIB} kB`));
  return ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /proc/meminfo && exec "$@"', file];
}

const RESOURCES = { requests: { cpu: "1", memory: "64Gi" }, limits: { cpu: "2", memory: "64Gi" } };
const MEMORY_KIB = 256 * 1024 * 1024;

/** Installs the product, and makes a cluster of three nodes whose licence allows any number of databases. */
export async function startCluster({ kube }: Pick<BuiltWorld, "kube">): Promise<void> {
  const authority = createLicenseAuthority();
  const now = Date.now();
  const license = signLicense(
    {
      cluster_name: clusterNames.dnsName(REC.name, NAMESPACE),
      owner: "bench",
      activation_date: new Date(now - 60_000).toISOString(),
      expiration_date: new Date(now + 86_400_000).toISOString(),
      shards_limit: 10_000,
      features: [],
    },
    authority.privateKey,
  );
  await applyManifest(kube, bundleFor(latestRelease()), NAMESPACE, "bench");
  const authorities = { name: LICENSE_AUTHORITIES, namespace: NAMESPACE };
  await kube.create(ConfigMaps, { metadata: authorities, data: { "public.pem": authority.publicKey } });
  await kube.create(Secrets, {
    metadata: { name: "license", namespace: NAMESPACE },
    stringData: { [LICENSE_KEY]: license },
  });
  await kube.create(Clusters, {
    metadata: REC,
    spec: { nodes: 3, licenseSecretName: "license", storeEnterpriseNodeResources: RESOURCES },
  });
  await until("the cluster runs", () => isRunning(kube), PATIENCE);
}

/** Whether all nodes are in service, and the cluster has its licence. */
export async function isRunning(kube: Kube): Promise<boolean> {
  const { status } = (await kube.get(Clusters, REC)) ?? {};
  return status?.state === "Running" && status.licenseStatus?.shardsLimit === 10_000;
}

/** Makes databases until there are `wanted`, a few at a time; `progress` gets how many are active. */
export async function fillUp(
  kube: Kube,
  wanted: number,
  spec: { readonly replication: boolean },
  progress: (active: number) => void,
): Promise<void> {
  for (;;) {
    const { items } = await kube.list(Databases, { namespace: NAMESPACE });
    const active = items.filter(({ status }) => status?.status === "active").length;
    progress(active);
    if (active >= wanted) return;
    const refused = items.find(({ status }) => status?.specStatus === "Invalid");
    if (refused !== undefined) throw new Error(`refused: ${JSON.stringify(refused.status?.findings)}`);
    const more = Math.min(wanted - items.length, AT_ONCE - (items.length - active));
    for (let at = items.length; at < items.length + more; at++) {
      const metadata = { name: `db-${at}`, namespace: NAMESPACE };
      await kube.create(Databases, { metadata, spec: { memorySize: "100MB", ...spec } });
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Databases that are being made at the same time. */
const AT_ONCE = 20;
