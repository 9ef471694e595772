import type { Log } from "#kit/base/log";
import { openEpochs, type Epochs } from "./epochs.ts";
import { openKeptRecords, type KeptRecords } from "./kept-records.ts";

/** What this node keeps on its volume of the records: the epochs that it has served, and the last record of each database. */
export async function openKeptFiles(
  dataDir: string,
  log: Log,
): Promise<{ readonly epochs: Epochs; readonly keptRecords: KeptRecords }> {
  return { epochs: await openEpochs(dataDir), keptRecords: await openKeptRecords(dataDir, log) };
}
