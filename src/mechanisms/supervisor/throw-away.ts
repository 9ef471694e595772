import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { THROW_AWAY_BDB, type LoadedFile } from "../../core/api/throw-away.ts";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import { makeFolder } from "#kit/files/replace-file";
import type { Log } from "#kit/base/log";
import { freePort } from "./engine-probe.ts";
import { loadModuleLine, quoteDirective } from "./engine-config.ts";
import { cannotReadItsFiles, lastWarnings } from "./engine-log.ts";
import type { EngineProcess, EngineRunner } from "./engine-process.ts";
import type { FoundEngine } from "./engines.ts";
import { faults } from "./faults.ts";
import { instanceFiles, writeConfig, type InstanceFiles } from "./instance-files.ts";
import { askLoaded } from "./loaded-file.ts";
import { endLeftover } from "./leftovers.ts";
import type { WantedInstance } from "./wanted-instance.ts";

/** What throw-away engines are run with. */
export interface ThrowAwayDeps {
  /** Folder of the node's data. */
  readonly data: string;
  readonly runner: EngineRunner;
  readonly clock: Clock;
  readonly log: Log;
}

/** What an engine shall load. */
export interface ThrowAwayLoad {
  readonly engine: FoundEngine;
  readonly modules: WantedInstance["modules"];
  /** Puts the file there, readable as `mode` says. */
  readonly provide: (path: string, mode: number) => Promise<void>;
  /** The engine is ended when it takes more, in bytes. */
  readonly mostMemory: number;
  /** It has failed when it has not loaded and read all within this time. */
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

/**
 * Lets an engine without clients load a file and read all that it has then; nothing of it stays, however it ends. One at a time. SUPERVISOR_NOT_LOADED when
 * the engine cannot read the file, SUPERVISOR_LOAD_TOO_LARGE when it takes too much memory, SUPERVISOR_LOAD_ENDED when it ends for another reason.
 */
export async function loadThrowAway(deps: ThrowAwayDeps, load: ThrowAwayLoad): Promise<LoadedFile> {
  const files = filesOf(deps);
  await clearThrowAway(deps);
  try {
    await makeFolder(files.directory);
    await load.provide(join(files.directory, DATA_FILE), deps.runner.fileMode);
    load.signal.throwIfAborted();
    return await loadFrom(files, deps, load);
  } finally {
    await clearThrowAway(deps);
  }
}

/** Ends what an earlier agent has left of a throw-away engine, and removes its files. */
export async function clearThrowAway({
  data,
  clock,
  log,
}: Pick<ThrowAwayDeps, "data" | "clock" | "log">): Promise<void> {
  const files = filesOf({ data });
  if (await endLeftover(files, 0, clock)) log.warn("a throw-away engine of an earlier agent ended");
  await rm(join(files.directory, ".."), { recursive: true, force: true });
}

async function loadFrom(
  files: InstanceFiles,
  { runner, clock }: ThrowAwayDeps,
  load: ThrowAwayLoad,
): Promise<LoadedFile> {
  const password = randomBytes(24).toString("hex");
  const port = await freePort();
  await writeConfig(files, configOf(files, { port, password }, load.modules), runner.fileMode);
  const child = await runner.start(load.engine, { bdb: THROW_AWAY_BDB, instance: ONLY, files });
  try {
    return await askLoaded({ host: HOST, port, password }, { ...load, clock, ended: () => endedBy(child, files) });
  } finally {
    child.signal("SIGKILL");
    await child.exited;
  }
}

/** Why the engine has ended; undefined while it runs. */
async function endedBy(child: EngineProcess, files: InstanceFiles): Promise<Fault | undefined> {
  if (child.state() !== "exited") return undefined;
  const words = await lastWarnings(files);
  const { code, signal } = await child.exited;
  const isRefused = cannotReadItsFiles(words);
  const how = signal === undefined ? `code ${code ?? 0}` : `signal ${signal}`;
  return new Fault(
    isRefused ? faults.notLoaded : faults.loadEnded,
    `The engine that shall load it has ended with ${how}${words === "" ? "" : `: ${words}`}`,
  );
}

function configOf(
  { directory, pidFile, logFile }: InstanceFiles,
  { port, password }: { readonly port: number; readonly password: string },
  modules: WantedInstance["modules"],
): string {
  const directives: readonly (readonly [string, string])[] = [
    ["bind", HOST],
    ["port", String(port)],
    ["requirepass", password],
    ["dir", directory],
    ["dbfilename", DATA_FILE],
    ["pidfile", pidFile],
    ["logfile", logFile],
    ["always-show-logo", "no"],
    ["daemonize", "no"],
    ["save", ""],
    ["appendonly", "no"],
    ["crash-log-enabled", "no"],
    ["enable-debug-command", "local"],
    // each value is checked to its last byte
    ["sanitize-dump-payload", "yes"],
    // where memory ends, it ends first
    ["oom-score-adj", "relative"],
    ["oom-score-adj-values", "1000 1000 1000"],
  ];
  const lines = directives.map(
    ([name, value]) => `${name} ${name === "oom-score-adj-values" ? value : quoteDirective(value)}`,
  );
  return [...lines, ...modules.map(loadModuleLine), ""].join("\n");
}

function filesOf({ data }: Pick<ThrowAwayDeps, "data">): InstanceFiles {
  return instanceFiles(data, THROW_AWAY_BDB, ONLY);
}

/** There is one at a time. */
const ONLY = 1;
const HOST = "127.0.0.1";
const DATA_FILE = "dump.rdb";
