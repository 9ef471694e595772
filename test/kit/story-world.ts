import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLog } from "../../src/base/log.ts";
import { startWorld, type World } from "../../src/bin/world-start.ts";
import type { Progress } from "../../src/demo/progress.ts";
import { startReleaseServer, type ReleaseServer } from "../../src/demo/release-server.ts";
import type { Stage } from "../../src/demo/stages.ts";
import { systemClock } from "../../src/reconcile/system-clock.ts";
import { bundleFor } from "../../src/releases/bundle.ts";
import { latestRelease, releaseByOperator } from "../../src/releases/find.ts";
import type { Release } from "../../src/releases/release.ts";
import { release } from "./cluster-view.ts";

/** The real local world with real images, for a scenario to play in. */
export interface StoryWorld extends AsyncDisposable {
  readonly world: World;
  readonly stage: Stage;
  readonly releases: ReleaseServer;
  readonly older: Release;
  readonly latest: Release;
  /** What the scenario has said so far, for the message of a failure. */
  said(): string;
  /** Ends a process of this world with SIGKILL: the one whose command line holds `words`; how many there were. */
  kill(words: string): Promise<number>;
}

export async function startStoryWorld(): Promise<StoryWorld> {
  const dir = await mkdtemp(join(tmpdir(), "story-"));
  const lines: string[] = [];
  const log = jsonLog(
    (line) => {
      lines.push(line);
    },
    () => new Date(),
  );
  const older = release("7.22.2-21");
  const latest = latestRelease();
  const releases = await startReleaseServer(`v${latest.operator}`, (tag) => {
    const known = releaseByOperator(tag);
    return known === undefined ? undefined : bundleFor(known);
  });
  const world = await startWorld({ dir, log, retry: { baseMs: 200, maxMs: 2_000 } });
  const stop = new AbortController();
  const said: string[] = [];
  const progress: Progress = {
    chapter: (title) => void said.push(title),
    say: (text) => void said.push(`  ${text}`),
    now: (text) => void said.push(`  .. ${text}`),
  };
  return {
    world,
    stage: { kube: world.kube, clock: systemClock, log, signal: stop.signal, progress },
    releases,
    older,
    latest,
    said: () => said.join("\n"),
    kill: (words) => killProcesses(dir, world.subnet, words),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the scenario ends"));
      await world.stop();
      await releases.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function killProcesses(dir: string, subnet: string, words: string): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  let killed = 0;
  for (const pid of pids) {
    // a process may end between the two looks: then it is not ours to kill any more
    const [cmdline, environ] = await Promise.all(
      ["cmdline", "environ"].map((file) => readFile(join("/proc", pid, file), "utf8").catch(() => "")),
    );
    const command = (cmdline ?? "").replaceAll("\0", " ");
    // an engine overwrites its environment with its title, which has its address
    const isOurs = (environ ?? "").includes(dir) || command.includes(subnet);
    if (!command.includes(words) || !isOurs) continue;
    process.kill(Number(pid), "SIGKILL");
    killed += 1;
  }
  return killed;
}
