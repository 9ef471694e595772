import { join } from "node:path";
import { replaceFile } from "#kit/files/replace-file";
import { readSharedFile } from "#kit/files/shared-file";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";

/** The highest epochs that this node has served, for each shard and for the slots of each database; survive a restart of the agent. */
export interface Epochs {
  /**
   * Answers with the endpoints whose epochs, those of their shards and of their slots, are not lower than those served before; stores these epochs
   * first, and admits no endpoint whose epochs it cannot store.
   */
  admit(endpoints: readonly EndpointConfig[]): Promise<readonly EndpointConfig[]>;
  /** The highest epoch that was served for a shard; 0 when none was. */
  highest(bdb: number, shard: number): number;
}

/** Keeps the numbers in one file of the data directory: by `<bdb>/<shard>` and `<bdb>/slots`, or by `<bdb>` alone as releases before 0.5.0 wrote them. */
export async function openEpochs(dataDir: string): Promise<Epochs> {
  const path = join(dataDir, "epochs.json");
  const highest = new Map(await readEpochs(path));
  const highestOf = (bdb: number, shard: number): number =>
    highest.get(keyOf(bdb, shard)) ?? highest.get(String(bdb)) ?? 0;
  return {
    highest: highestOf,
    async admit(endpoints) {
      const admitted = endpoints.filter(
        ({ bdb, shards, tableEpoch = 0 }) =>
          shards.every(({ id, epoch }) => epoch >= highestOf(bdb, id)) &&
          tableEpoch >= (highest.get(tableKey(bdb)) ?? 0),
      );
      const next = admitted.flatMap(epochsIn).filter(([key, epoch]) => epoch > (highest.get(key) ?? -1));
      // the epoch of a former only shard must not count for a shard that is made later
      const former = admitted.map(({ bdb }) => String(bdb));
      // on disk first: the next process must know what this one has served
      if (next.length > 0) await write(path, without(new Map([...highest, ...next]), former));
      for (const [key, epoch] of next) highest.set(key, epoch);
      without(highest, former);
      return admitted;
    },
  };
}

function without(epochs: Map<string, number>, keys: readonly string[]): Map<string, number> {
  for (const key of keys) epochs.delete(key);
  return epochs;
}

/** The epochs of an endpoint by their keys; slots that have never moved have none. */
function epochsIn({ bdb, shards, tableEpoch }: EndpointConfig): readonly (readonly [string, number])[] {
  const ofShards = shards.map(({ id, epoch }) => [keyOf(bdb, id), epoch] as const);
  return tableEpoch === undefined ? ofShards : [...ofShards, [tableKey(bdb), tableEpoch] as const];
}

function tableKey(bdb: number): string {
  return `${bdb}/slots`;
}

function keyOf(bdb: number, shard: number): string {
  return `${bdb}/${shard}`;
}

/** The most bytes of the file, which has one number for each shard. */
const EPOCHS_BYTES = 1_048_576;

async function readEpochs(path: string): Promise<readonly [string, number][]> {
  try {
    const parsed: unknown = JSON.parse((await readSharedFile(path, EPOCHS_BYTES)) ?? "{}");
    if (typeof parsed !== "object" || parsed === null) return [];
    return Object.entries(parsed)
      .map(([key, epoch]): [string, number] => [key, Number(epoch)])
      .filter(([key, epoch]) => KEY.test(key) && Number.isInteger(epoch));
  } catch {
    // no file yet, or one that a crash left unreadable: the records have the epoch, and it never falls
    return [];
  }
}

const KEY = /^\d+(?:\/(?:\d+|slots))?$/;

async function write(path: string, highest: ReadonlyMap<string, number>): Promise<void> {
  await replaceFile(path, JSON.stringify(Object.fromEntries(highest)));
}
