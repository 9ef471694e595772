import { join } from "node:path";
import { replaceFile } from "#kit/files/replace-file";
import { readSharedFile } from "#kit/files/shared-file";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";

/** The highest epoch that this node has served for each database; survives a restart of the agent. */
export interface Epochs {
  /** The endpoints with an epoch no lower than one served before; stores theirs before it answers, and admits none that it cannot store. */
  admit(endpoints: readonly EndpointConfig[]): Promise<readonly EndpointConfig[]>;
  /** The highest epoch that was served for a database; 0 when none was. */
  highest(bdb: number): number;
}

/** Keeps the numbers in one file of the data directory. */
export async function openEpochs(dataDir: string): Promise<Epochs> {
  const path = join(dataDir, "epochs.json");
  const highest = new Map(await read(path));
  return {
    highest: (bdb) => highest.get(bdb) ?? 0,
    async admit(endpoints) {
      const admitted = endpoints.filter(({ bdb, epoch }) => epoch >= (highest.get(bdb) ?? 0));
      const risen = admitted.filter(({ bdb, epoch }) => epoch > (highest.get(bdb) ?? -1));
      const next = risen.map(({ bdb, epoch }) => [bdb, epoch] as const);
      // on disk first: what this process has served, the next one must know
      if (risen.length > 0) await write(path, new Map([...highest, ...next]));
      for (const [bdb, epoch] of next) highest.set(bdb, epoch);
      return admitted;
    },
  };
}

/** So long the file may be: one number for each database. */
const EPOCHS_BYTES = 1_048_576;

async function read(path: string): Promise<readonly [number, number][]> {
  try {
    const parsed: unknown = JSON.parse((await readSharedFile(path, EPOCHS_BYTES)) ?? "{}");
    if (typeof parsed !== "object" || parsed === null) return [];
    return Object.entries(parsed)
      .map(([bdb, epoch]): [number, number] => [Number(bdb), Number(epoch)])
      .filter((pair) => pair.every(Number.isInteger));
  } catch {
    // no file yet, or one that a crash left unreadable: the records have the epoch, and it never falls
    return [];
  }
}

async function write(path: string, highest: ReadonlyMap<number, number>): Promise<void> {
  await replaceFile(path, JSON.stringify(Object.fromEntries(highest)));
}
