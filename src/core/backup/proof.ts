import { needText, roomText } from "#kit/base/sizes";
import { compareVersionText } from "#kit/base/version";
import type { LoadedFile } from "../api/throw-away.ts";
import type { EngineIdentity } from "../releases/engines/engines.ts";
import type { BackupFile, BackupManifest } from "./manifest.ts";

/** What a node has left for a throw-away engine, in bytes. */
export interface ProofRoom {
  /** Of the memory of its engines, beside what each instance may come to need at rest; undefined where no limit is known. */
  readonly memory: number | undefined;
  /** Of its volume, beside what stays free for databases. */
  readonly disk: number;
}

/** What the engine that loads this file may take of the memory at most, in bytes: it is ended when it takes more. */
export function proofMemory({ memory, bytes }: Pick<BackupFile, "memory" | "bytes">): number {
  return EMPTY_ENGINE + Math.max(memory, bytes) * MARGIN;
}

/** What an engine without data takes. */
const EMPTY_ENGINE = 24 * 1_048_576;
/** Another engine than the one that wrote it, gaps, and the look at all that it has. */
const MARGIN = 1.35;

/** What is missing to load this file; undefined when there is room. */
export function missingRoom(file: BackupFile, { memory, disk }: ProofRoom): string | undefined {
  const wanted = [
    { what: "memory of its engines", needed: proofMemory(file), free: memory },
    { what: "its volume", needed: file.bytes, free: disk },
  ];
  const short = wanted.find(({ needed, free }) => free !== undefined && free < needed);
  if (short === undefined) return undefined;
  const { what, needed, free = 0 } = short;
  return `the file of shard ${file.shard} needs ${needText(needed)} of ${what}, and ${roomText(free)} are free`;
}

/**
 * The engine that shows whether a backup can be loaded: the one that wrote all of its files, else the lowest later one of the same family. Undefined
 * when there is none.
 */
export function engineForProof<E extends EngineIdentity>(
  { files }: Pick<BackupManifest, "files">,
  found: readonly E[],
): E | undefined {
  const isAble = (one: E): boolean =>
    files.every(({ engine }) => engine.family === one.family && isAtLeast(one.version, engine.version));
  return found.filter(isAble).toSorted((a, b) => compareVersionText(a.version, b.version) ?? 0)[0];
}

/** What is wrong with what an engine has loaded; undefined when nothing is. */
export function wrongWith({ keys }: Pick<BackupFile, "keys">, loaded: LoadedFile): string | undefined {
  if (keys === undefined || loaded.keys + loaded.expired === keys) return undefined;
  return `the engine has ${loaded.keys} keys and ${loaded.expired} have expired, and the manifest says ${keys}`;
}

function isAtLeast(version: string, lowest: string): boolean {
  return (compareVersionText(version, lowest) ?? -1) >= 0;
}
