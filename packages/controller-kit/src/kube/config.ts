import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../base/fault.ts";
import { faults } from "./faults.ts";
import { readKubeconfig } from "./kubeconfig.ts";
import type { KubeConfig } from "./kubeconfig.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type ReadFile = (path: string) => string;

/** The files that KUBECONFIG names, read for `context` or else for their current one, else the service account of the pod, whose files lie below CONTAINER_ROOT. */
export function loadKubeConfig(
  env: Environment,
  readFile: ReadFile = (path) => readFileSync(path, "utf8"),
  context?: string,
): KubeConfig {
  const paths = (env["KUBECONFIG"] ?? "").split(process.platform === "win32" ? ";" : ":").filter((path) => path !== "");
  if (paths.length > 0) return readKubeconfig(paths, readFile, context);
  if (env["KUBERNETES_SERVICE_HOST"] !== undefined) return inCluster(env, env["KUBERNETES_SERVICE_HOST"], readFile);
  throw new Fault(faults.noConfig, "neither KUBECONFIG nor KUBERNETES_SERVICE_HOST is set");
}

function inCluster(env: Environment, host: string, readFile: ReadFile): KubeConfig {
  const folder = join(env["CONTAINER_ROOT"] ?? "/", "var/run/secrets/kubernetes.io/serviceaccount");
  const read = (name: string): string => {
    try {
      return readFile(join(folder, name));
    } catch (error) {
      throw new Fault(
        faults.noConfig,
        `the pod's service account has no readable file ${join(folder, name)}`,
        {},
        error,
      );
    }
  };
  const authority = host.includes(":") ? `[${host}]` : host;
  return {
    server: `https://${authority}:${env["KUBERNETES_SERVICE_PORT"] ?? "443"}`,
    ca: read("ca.crt"),
    token: () => read("token").trim(),
    namespace: read("namespace").trim(),
  };
}
