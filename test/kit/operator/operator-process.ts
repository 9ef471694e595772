import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATOR_NAME, PORTS } from "../../../src/core/api/names.ts";
import { latestRelease } from "../../../src/core/releases/catalogue/find.ts";
import type { Release } from "../../../src/core/releases/catalogue/release.ts";
import { loopbackAddress } from "../engines/engine.ts";
import type { TestApi } from "#kubernetes/testing/api-server";
import { STORE } from "../programs.ts";
import { tokenOf } from "../kubernetes/permission-scene.ts";

/** `store operator` as a process of its own, under the service account of one namespace. */
export interface OperatorProcess extends AsyncDisposable {
  /** Probes, metrics and webhook are served here. */
  readonly address: string;
  /** Status and text of the readiness probe; undefined before it is served. */
  readiness(): Promise<string | undefined>;
  metrics(): Promise<string>;
  /** Sends SIGTERM and waits for the end: the exit code, null after a kill, and the time that it took in milliseconds. */
  terminate(): Promise<{ readonly code: number | null; readonly tookMs: number }>;
  /** What it has logged so far. */
  log(): string;
}

/** After this time the process is killed, as Kubernetes does after the grace period; in milliseconds. */
const GRACE_MS = 10_000;

/** The program that runs, and the release that its image stands for. */
export interface OperatorProgram {
  readonly command: readonly string[];
  readonly release: Release;
}

const OURS: OperatorProgram = { command: [process.execPath, STORE], release: latestRelease() };

/** Starts the operator of `namespace`; it is killed at the end of the scope if it still runs. */
export async function startOperatorProcess(
  api: Pick<TestApi, "kube" | "config" | "folder">,
  namespace: string,
  { command, release }: OperatorProgram = OURS,
): Promise<OperatorProcess> {
  const address = loopbackAddress();
  const [program = "", ...args] = command;
  const child = spawn(program, [...args, "operator"], {
    env: {
      ...process.env,
      KUBECONFIG: await writeKubeconfig(api, namespace),
      STORE_RELEASE: release.operator,
      POD_NAME: "test",
      POD_IP: address,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ended = once(child, "exit");
  const page = async (path: string): Promise<string | undefined> => {
    const answer = await fetch(`http://${address}:${PORTS.metrics}/${path}`).catch(() => undefined);
    return answer === undefined ? undefined : `${answer.status} ${await answer.text()}`;
  };
  return {
    address,
    readiness: () => page("readiness"),
    metrics: async () => (await page("metrics")) ?? "",
    async terminate() {
      const began = performance.now();
      child.kill("SIGTERM");
      const impatience = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
      await ended;
      clearTimeout(impatience);
      return { code: child.exitCode, tookMs: performance.now() - began };
    },
    log: () => text,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function writeKubeconfig(
  { kube, config, folder }: Pick<TestApi, "kube" | "config" | "folder">,
  namespace: string,
): Promise<string> {
  const file = join(folder, `${namespace}.kubeconfig`);
  const authority = Buffer.from(config.ca ?? "").toString("base64");
  const content = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    contexts: [{ name: "test", context: { cluster: "test", user: "operator", namespace } }],
    clusters: [{ name: "test", cluster: { server: config.server, "certificate-authority-data": authority } }],
    users: [{ name: "operator", user: { token: await tokenOf(kube, namespace, OPERATOR_NAME) } }],
  };
  writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
  return file;
}
