import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeArchive, type Image } from "../../../scripts/images/archive.ts";
import { productImages } from "../../../scripts/images/build.ts";
import { silentLog } from "#kit/base/log";
import type { Progress } from "../../../src/programs/demo/report/progress.ts";
import { startReleaseServer, type ReleaseServer } from "../../../src/programs/demo/steps/release-server.ts";
import type { ScenarioContext } from "../../../src/programs/demo/steps/steps.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { bundleFor } from "../../../src/core/releases/bundle/bundle.ts";
import { latestRelease } from "../../../src/core/releases/catalogue/find.ts";
import type { Release } from "../../../src/core/releases/catalogue/release.ts";
import { bindKubectl, type Kubectl } from "../../kit/kubernetes/kubectl.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { startCluster } from "../cluster/start-cluster.ts";
import { loadImage } from "./load-image.ts";
import { CHECKOUT, openOrigins, type Origin } from "./origin.ts";

/** Three real nodes with the images of this checkout and of kept releases, and what the steps act with. */
export interface Scene extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly kubectl: Kubectl;
  readonly stage: ScenarioContext;
  readonly releases: ReleaseServer;
  readonly origins: Readonly<Record<"oldest" | "previous", Origin>>;
  readonly latest: Release;
  /** Prints a line of progress. */
  say(line: string): void;
  /** Writes what there is to know about the cluster into a folder that outlives it, and returns the folder. */
  keepEvidence(name: string): Promise<string>;
}

/** Makes the images in `folder`, of the kept releases those that are used; starts the cluster; `say` gets the progress. */
export async function openScene(
  folder: string,
  used: readonly (keyof Scene["origins"])[],
  say: (line: string) => void,
): Promise<Scene> {
  const latest = latestRelease();
  const images = join(folder, "images.tar");
  const origins = await openOrigins();
  const product = await productImages(CHECKOUT, [latest]);
  const [first] = product;
  if (first === undefined) throw new Error("a release has no images");
  const older: Image[] = [];
  for (const origin of new Set(used.map((name) => origins[name]))) older.push(...(await origin.images()));
  await writeArchive(images, [...product, ...older, await loadImage(CHECKOUT, first, folder)]);
  say("images made");
  await using started = new AsyncDisposableStack();
  const cluster = started.use(await startCluster({ nodes: 3, images: [images] }));
  say(`3 nodes are ready: export KUBECONFIG=${cluster.kubeconfig}`);
  const kubectl = bindKubectl({ path: cluster.controlPlane.kubectl, version: "" }, cluster.kubeconfig, folder);
  const bundles = new Map([[latest.operator, bundleFor(latest)]]);
  for (const { release, bundle } of Object.values(origins)) bundles.set(release.operator, await bundle());
  const releases = await startReleaseServer(`v${latest.operator}`, (tag) => bundles.get(tag.replace(/^v/, "")));
  started.defer(() => releases.close());
  const stop = new AbortController();
  started.defer(() => stop.abort(new Error("the scene ends")));
  const stage: ScenarioContext = {
    kube: cluster.controlPlane.kube,
    clock: systemClock,
    log: silentLog,
    signal: stop.signal,
    progress: progressTo(say),
    apply: async (bundle) => (await kubectl.given(bundle, "apply -f -")).trim().split("\n"),
  };
  const running = started.move();
  return {
    cluster,
    kubectl,
    stage,
    releases,
    origins,
    latest,
    say,
    keepEvidence: (name) => keepEvidence(kubectl, name),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function progressTo(say: (line: string) => void): Progress {
  return { section: say, report: (text) => say(`  ${text}`), update: () => undefined };
}

const EVIDENCE: readonly string[] = [
  "get nodes,pods,pvc,pv,svc,endpointslices,leases,pdb,sts,deploy -o wide",
  "get rec,redb,configmaps,sts,pods -o yaml",
  "get events --sort-by=.lastTimestamp",
  "describe pods",
];

async function keepEvidence(kubectl: Kubectl, name: string): Promise<string> {
  const folder = join(CHECKOUT, ".local", `e2e-${process.pid}`, name.replaceAll(/\W+/g, "-").slice(0, 40));
  await mkdir(folder, { recursive: true });
  const keep = async (file: string, line: string): Promise<void> => {
    const { stdout, stderr } = await kubectl.run(line);
    await writeFile(join(folder, file), stdout + stderr);
  };
  for (const [at, line] of EVIDENCE.entries()) await keep(`${at}-${line.split(" ")[0]}.txt`, line);
  const pods = await kubectl.run("get pods -o name");
  for (const pod of pods.stdout.trim().split("\n").filter(Boolean)) {
    await keep(`${pod.replace("pod/", "")}.log`, `logs ${pod} --all-containers`);
    await keep(`${pod.replace("pod/", "")}.previous.log`, `logs ${pod} --all-containers --previous`);
  }
  return folder;
}
