import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { faults } from "../faults.ts";

/** A mounted secret: one file a key. */
export type SecretFiles<K extends string> = Readonly<Record<K, string>>;

/** A secret whose files are polled, because the kubelet rewrites them when the secret changes. */
export interface MountedSecret<K extends string> {
  readonly current: () => SecretFiles<K>;
  /** Calls back after each change until `signal` aborts; one that is half-written, or cannot be used, leaves the one before. */
  follow(onChange: (files: SecretFiles<K>) => void, signal: AbortSignal): Promise<void>;
}

const POLL_MS = 2_000;

interface Deps<K extends string> {
  readonly clock: Clock;
  readonly log: Log;
  /** Throws when the files cannot be used. Not asked again about those in use: to read a certificate costs more than to read its file. */
  readonly check: (files: SecretFiles<K>) => void;
  /** Keys that need not be there; their text is empty then. */
  readonly optional?: readonly K[];
}

/** Reads the files `keys` of `folder`; AGENT_BAD_SECRET_FILE when one is missing or empty, and what `check` throws. */
export async function openMountedSecret<K extends string>(
  folder: string,
  keys: readonly K[],
  { clock, log, check, optional = [] }: Deps<K>,
): Promise<MountedSecret<K>> {
  const read = (): Promise<SecretFiles<K>> => readAll(folder, keys, optional);
  let files = await read();
  check(files);
  let lastSaid = "";
  return {
    current: () => files,
    async follow(onChange, signal) {
      while (!signal.aborted) {
        try {
          await clock.sleep(POLL_MS, signal);
          const seen = await read();
          if (keys.some((key) => seen[key] !== files[key])) {
            check(seen);
            files = seen;
            onChange(files);
          }
          lastSaid = "";
        } catch (error) {
          if (signal.aborted || messageOf(error) === lastSaid) continue;
          lastSaid = messageOf(error);
          log.warn("a mounted secret cannot be used; the one before stays in use", { folder, error });
        }
      }
    },
  };
}

async function readAll<K extends string>(
  folder: string,
  keys: readonly K[],
  optional: readonly K[],
): Promise<SecretFiles<K>> {
  const present = new Set(await readdir(folder).catch(() => [])); // a folder that is missing lacks the keys
  const entries = await Promise.all(
    keys.map(async (key) => {
      const isLeftOut = optional.includes(key) && !present.has(key);
      return [key, isLeftOut ? "" : await readOne(join(folder, key))] as const;
    }),
  );
  const files: Partial<Record<K, string>> = {};
  for (const [key, text] of entries) files[key] = text;
  if (!isComplete(files, keys)) throw new Fault(faults.badSecretFile, `${folder} lacks a key`, { folder });
  return files;
}

function isComplete<K extends string>(
  files: Partial<Record<K, string>>,
  keys: readonly K[],
): files is Record<K, string> {
  return keys.every((key) => files[key] !== undefined);
}

async function readOne(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new Fault(faults.badSecretFile, `${path} cannot be read: ${messageOf(error)}`, { path }, error);
  });
  if (text.trim() === "") throw new Fault(faults.badSecretFile, `${path} is empty`, { path });
  return text;
}
