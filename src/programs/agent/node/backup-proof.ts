import { Fault, messageOf } from "#kit/base/fault";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { LoadedFile } from "../../../core/api/throw-away.ts";
import type { BackupFile, BackupManifest } from "../../../core/backup/manifest.ts";
import { engineForProof, missingRoom, proofMemory, wrongWith, type ProofRoom } from "../../../core/backup/proof.ts";
import { engineText } from "../../../core/releases/engines/engines.ts";
import type { EngineRunner } from "../../../mechanisms/supervisor/engine-process.ts";
import type { FoundEngine } from "../../../mechanisms/supervisor/engines.ts";
import { loadThrowAway } from "../../../mechanisms/supervisor/throw-away.ts";
import type { WantedInstance } from "../../../mechanisms/supervisor/wanted-instance.ts";
import type { BackupFailure } from "../../../ports/management/backup-control.ts";
import { faults } from "../faults.ts";

/** What this node proves backups with. */
export interface ProofTools {
  readonly data: string;
  readonly engines: readonly FoundEngine[];
  readonly runner: EngineRunner;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a backup that is to be proved is proved with. */
export interface ProofMeans {
  /** Asked before each file. */
  readonly room: () => Promise<ProofRoom>;
  readonly modules: WantedInstance["modules"];
}

/** A file that an engine has loaded. */
export interface ProvedFile extends LoadedFile {
  readonly file: string;
  readonly engine: string;
}

/** How the proof of a backup stands; ISO instants. */
export type BackupProof = { readonly began: string; readonly files: readonly ProvedFile[] } & (
  | { readonly state: "running" }
  | { readonly state: "passed"; readonly ended: string }
  | { readonly state: "failed"; readonly ended: string; readonly failure: BackupFailure }
);

/** What a proof works on. */
interface ProofTask {
  readonly manifest: BackupManifest;
  readonly means: ProofMeans;
  /** Puts a file of the backup there. */
  readonly fetch: (file: BackupFile, path: string, mode: number) => Promise<void>;
  /** Called with each change. */
  readonly say: (proof: BackupProof) => void;
  readonly signal: AbortSignal;
}

/** Lets a throw-away engine load each file of a backup, one after the other, and compares what it has with the manifest. Never rejects. */
export async function proveBackup(tools: ProofTools, task: ProofTask): Promise<void> {
  const { clock } = tools;
  const began = instant(clock);
  const files: ProvedFile[] = [];
  try {
    const engine = engineOf(task.manifest, tools.engines);
    for (const file of task.manifest.files) {
      task.say({ state: "running", began, files: [...files] });
      files.push(await proveFile(tools, task, engine, file));
    }
    task.say({ state: "passed", began, ended: instant(clock), files });
  } catch (error) {
    const { code, remedy, retry } = error instanceof Fault ? error : faults.backupGone;
    const failure = { code, message: messageOf(error), remedy, retry };
    task.say({ state: "failed", began, ended: instant(clock), files, failure });
  }
}

function engineOf(manifest: BackupManifest, engines: readonly FoundEngine[]): FoundEngine {
  const engine = engineForProof(manifest, engines);
  if (engine !== undefined) return engine;
  const wrote = [...new Set(manifest.files.map((file) => engineText(file.engine)))].join(", ");
  const here = engines.map(engineText).join(", ");
  throw new Fault(faults.backupNoEngine, `It was written by ${wrote}, and the engines here are ${here}.`);
}

async function proveFile(
  tools: ProofTools,
  { means, fetch, signal }: ProofTask,
  engine: FoundEngine,
  file: BackupFile,
): Promise<ProvedFile> {
  const missing = missingRoom(file, await means.room());
  if (missing !== undefined) throw new Fault(faults.backupNoRoom, `There is no room to load it: ${missing}.`);
  const loaded = await loadThrowAway(tools, {
    engine,
    modules: means.modules,
    provide: (path, mode) => fetch(file, path, mode),
    mostMemory: proofMemory(file),
    withinMs: SHORTEST_MS + file.bytes / SLOWEST_BYTES_PER_MS,
    signal,
  });
  const wrong = wrongWith(file, loaded);
  if (wrong !== undefined)
    throw new Fault(faults.backupDiffers, `What shard ${file.shard} has saved is not what is loaded: ${wrong}.`);
  return { ...loaded, file: file.file, engine: engineText(engine) };
}

function instant(clock: Clock): string {
  return clock.now().toISOString();
}

const SHORTEST_MS = 120_000;
/** A slow machine loads more than 2 MB a second. */
const SLOWEST_BYTES_PER_MS = 2_000;
