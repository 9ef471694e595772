import assert from "node:assert/strict";
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OPERATOR_NAME } from "../../../src/core/api/names.ts";
import { Deployments } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import type { Kube } from "#kit/kube/kube";
import { applyManifest } from "#kit/kube/manifest";
import { Clusters, Databases } from "../../../src/mechanisms/observe/kubernetes/kinds.ts";
import { bundleFor } from "../../../src/core/releases/bundle/bundle.ts";
import type { Release } from "../../../src/core/releases/catalogue/release.ts";
import { until } from "#kit/testing/until";
import { STORECTL } from "../programs.ts";

const REC = { name: "rec", namespace: "default" };
const REDB = { name: "orders", namespace: "default" };

/** How long a cluster may take for anything. */
export const PATIENCE = { withinMs: 120_000, everyMs: 200 };

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A local world that real storectl commands work on: cluster "rec" of one release, with the database "orders" at 7.2. */
export interface StorectlWorld extends AsyncDisposable {
  readonly dir: string;
  readonly kube: Kube;
  storectl(...args: readonly string[]): Promise<Ran>;
  /** The same at a terminal of 100 columns, where each question gets the next answer; stdout is all that is shown there. */
  atTerminal(answers: readonly string[], ...args: readonly string[]): Promise<Ran>;
  /** The same, going on; the caller ends it. */
  begin(...args: readonly string[]): ChildProcess;
  /** Resolves once the cluster has this STATE. */
  stateIs(state: string): Promise<void>;
}

/** Starts a world by `storectl local up`, with a cluster of `release` and the database. */
export async function startStorectlWorld(release: Release): Promise<StorectlWorld> {
  await using stack = new AsyncDisposableStack();
  const dir = stack.use(await mkdtempDisposable(join(tmpdir(), "storectl-world-"))).path;
  const env = { ...process.env, STORE_LOCAL_DIR: dir, KUBECONFIG: join(dir, "kubeconfig") };
  const storectl = (...args: readonly string[]): Promise<Ran> =>
    new Promise((resolve) => {
      execFile(process.execPath, [STORECTL, ...args], { env, timeout: COMMAND_MS }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  stack.defer(async () => void (await storectl("local", "down")));
  const up = await storectl("local", "up");
  assert.equal(up.code, 0, up.stderr);
  const kube = stack.adopt(connect(loadKubeConfig({ KUBECONFIG: join(dir, "kubeconfig") })), (client) =>
    client.close(),
  );
  const stateIs = (state: string): Promise<void> =>
    until(`STATE ${state}`, async () => (await kube.get(Clusters, REC))?.status?.state === state, PATIENCE);
  await applyManifest(kube, bundleFor(release), "default", "test");
  await kube.create(Clusters, { metadata: REC, spec: {} });
  await stateIs("Running");
  await kube.create(Databases, { metadata: REDB, spec: { storeVersion: "7.2", replication: true } });
  await until("the database", async () => (await kube.get(Databases, REDB))?.status?.status === "active", PATIENCE);
  const owned = stack.move();
  return {
    dir,
    kube,
    storectl,
    stateIs,
    atTerminal: (answers, ...args) => atTerminal(env, answers, args),
    begin: (...args) => spawn(process.execPath, [STORECTL, ...args], { env, stdio: ["ignore", "pipe", "pipe"] }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const COMMAND_MS = 300_000;

function atTerminal(env: NodeJS.ProcessEnv, answers: readonly string[], args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const command = ["stty cols 100;", "exec", process.execPath, STORECTL, ...args].join(" ");
    const typed = ["-qec", command, "/dev/null"];
    const child = execFile("script", typed, { env, timeout: COMMAND_MS }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
    const left = [...answers];
    child.stdout?.on("data", (shown: string) => {
      if (shown.includes("(yes/no) ")) child.stdin?.write(`${left.shift() ?? ""}\n`);
    });
  });
}

/** Whether the operator's pod answers its readiness probe. */
export async function isOperatorReady(kube: Kube): Promise<boolean> {
  const deployment = await kube.get(Deployments, { name: OPERATOR_NAME, namespace: "default" });
  return deployment?.status?.readyReplicas === 1;
}
