import { constants, setPriority } from "node:os";
import { THROW_AWAY_BDB } from "../../core/api/throw-away.ts";
import type { Log } from "#kit/base/log";
import { startChild } from "#kit/processes/child";
import type { Child } from "#kit/processes/child";
import type { EngineFileMode } from "./engine-file-mode.ts";
import type { FoundEngine } from "./engines.ts";
import type { InstanceDirectory } from "./instance-files.ts";

/** A running engine, as a child of this process or in another container. */
export type EngineProcess = Pick<Child, "pid" | "state" | "exited" | "signal">;

/** Starts the engines of a node. */
export interface EngineRunner {
  /** The mode of files that the agent writes for an engine. */
  readonly fileMode: EngineFileMode;
  /** Starts an engine with the configuration that lies in its directory; resolves when its process runs. */
  start(engine: FoundEngine, directory: InstanceDirectory): Promise<EngineProcess>;
}

/** Runs engines as children of this process: they have its user and end with its container. One without clients has the lowest priority. */
export function engineChildren(log: Log): EngineRunner {
  return {
    fileMode: 0o600,
    start: async ({ path }, { bdb, files }) => {
      const child = await startChild({ command: path, args: [files.configFile], env: {}, cwd: files.directory, log });
      if (bdb === THROW_AWAY_BDB) giveWay(child.pid, log);
      return child;
    },
  };
}

function giveWay(pid: number, log: Log): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch (error) {
    log.warn("an engine without clients does not give way to others", { pid, error });
  }
}
