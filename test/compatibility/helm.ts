import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BuiltRelease } from "../../scripts/releases/build.ts";
import { writeChart } from "../../scripts/releases/chart.ts";
import type { Kube } from "#kit/kube/kube";
import { applyManifest } from "#kit/kube/manifest";
import { findAssets } from "../kubernetes/assets/assets.ts";

const exec = promisify(execFile);
const CHART = join(import.meta.dirname, "../../deploy/chart");
const NAMESPACE = "default";

/** How an operator is brought to a release, instead of by its bundle. */
export type Way = Readonly<Record<"install" | "upgrade" | "goBack", () => Promise<readonly string[]>>>;

/** What Helm works on. */
export interface HelmWorld {
  readonly kube: Kube;
  readonly kubeconfig: string;
  /** For charts, and what Helm remembers. */
  readonly folder: string;
}

/** The path of a helm; undefined where there is none. */
export function findHelm(): string | undefined {
  const found = findAssets("api");
  return "folder" in found ? join(found.folder, "helm") : undefined;
}

/**
 * By Helm: from the chart of the kept release to the chart of this checkout. No Job runs here, so definitions are brought to the
 * release as docs/helm.md says for this case; a rollback leaves them as they are.
 */
export async function helmWay(helm: string, from: BuiltRelease, world: HelmWorld): Promise<Way> {
  const older = await writeChart(from, join(world.folder, "older-chart"));
  const env = { ...process.env, HOME: world.folder, KUBECONFIG: world.kubeconfig };
  const run = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await exec(helm, [...args, "--namespace", NAMESPACE, "--timeout", "120s"], { env });
    return [stdout];
  };
  const withoutJob = ["--set", "definitions.apply=false"];
  return {
    install: () => run("install", "store", older, ...withoutJob),
    upgrade: async () => {
      const definitions = globSync(join(CHART, "crds/*.yaml")).map((file) => readFileSync(file, "utf8"));
      await applyManifest(world.kube, definitions.join("---\n"), NAMESPACE, "kubectl");
      return run("upgrade", "store", CHART, ...withoutJob);
    },
    goBack: () => run("rollback", "store", "1"),
  };
}
