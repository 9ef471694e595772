import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLog } from "#kit/base/log";
import type { BuiltRelease } from "../../../scripts/releases/build.ts";
import { imagesWith } from "../../../scripts/releases/images.ts";
import { startWorld, type ImageStore, type World, type WorldOptions } from "#kubernetes";
import type { Progress } from "../../../src/programs/demo/report/progress.ts";
import { startReleaseServer, type ReleaseServer } from "../../../src/programs/demo/steps/release-server.ts";
import type { ScenarioContext } from "../../../src/programs/demo/steps/steps.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { bundleFor } from "../../../src/core/releases/bundle/bundle.ts";
import { latestRelease, releaseByOperator } from "../../../src/core/releases/catalogue/find.ts";
import type { Release } from "../../../src/core/releases/catalogue/release.ts";
import { release } from "../facts/cluster-view.ts";
import { onOfficialBase } from "./base-systems.ts";
import { STORE } from "../programs.ts";
import { worldProcesses, type WorldProcess } from "./processes.ts";

/** The real local world with real images, for a scenario to play in. */
export interface StoryWorld extends AsyncDisposable {
  readonly world: World;
  readonly stage: ScenarioContext;
  readonly releases: ReleaseServer;
  readonly older: Release;
  readonly latest: Release;
  /** Digest of the node image of a release. */
  digestOf(release: Release): string;
  /** What the scenario has said so far, for the message of a failure. */
  said(): string;
  /** What API server, controllers and kubelet have logged so far. */
  logged(): string;
  /** Ends a process of this world with SIGKILL: the one whose command line holds `words`; how many there were. */
  kill(words: string): Promise<number>;
  /** The programs and engines of its pods that run now. */
  processes(): Promise<readonly WorldProcess[]>;
}

export interface StoryWorldOptions extends Pick<WorldOptions, "audit" | "kubernetesVersion"> {
  /** The older release, with programs, definitions and roles of its own; this checkout under its label when absent. */
  readonly from?: BuiltRelease;
  /** The images to run instead of the usual ones, made from them. */
  readonly imagesFrom?: (usual: ImageStore) => ImageStore;
}

export async function startStoryWorld({ from, imagesFrom, ...options }: StoryWorldOptions = {}): Promise<StoryWorld> {
  await using stack = new AsyncDisposableStack();
  const dir = stack.use(await mkdtempDisposable(join(tmpdir(), "story-"))).path;
  const lines: string[] = [];
  const log = jsonLog(
    (line) => {
      lines.push(line);
    },
    () => new Date(),
  );
  const older = from?.runsAs ?? release("7.22.2-21");
  const latest = latestRelease();
  const olderBundle = (await from?.bundle()) ?? bundleFor(older);
  const releases = await startReleaseServer(`v${latest.operator}`, (tag) => {
    const known = releaseByOperator(tag);
    if (known === older) return olderBundle;
    return known === undefined ? undefined : bundleFor(known);
  });
  stack.defer(() => releases.close());
  const usual = onOfficialBase(imagesWith(from === undefined ? [] : [from], join(dir, "cache"), STORE));
  const images = imagesFrom?.(usual) ?? usual;
  const world = await startWorld({
    ...options,
    dir,
    log,
    images,
    retry: { baseMs: 200, maxMs: 2_000 },
  });
  stack.defer(() => world.stop());
  const processes = (): Promise<readonly WorldProcess[]> => worldProcesses(dir, world.subnet);
  const stop = new AbortController();
  stack.defer(() => stop.abort(new Error("the scenario ends")));
  const said: string[] = [];
  const progress: Progress = {
    section: (title) => void said.push(title),
    report: (text) => void said.push(`  ${text}`),
    update: (text) => void said.push(`  .. ${text}`),
  };
  const owned = stack.move();
  return {
    world,
    stage: { kube: world.kube, clock: systemClock, log, signal: stop.signal, progress },
    releases,
    older,
    latest,
    digestOf: ({ nodeTag }) => images.resolve(`node:${nodeTag}`)?.digest ?? "",
    said: () => said.join("\n"),
    logged: () => lines.join(""),
    kill: (words) => killProcesses(processes, words),
    processes,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function killProcesses(processes: () => Promise<readonly WorldProcess[]>, words: string): Promise<number> {
  const found = (await processes()).filter(({ command }) => command.includes(words));
  for (const { pid } of found) process.kill(pid, "SIGKILL");
  return found.length;
}
