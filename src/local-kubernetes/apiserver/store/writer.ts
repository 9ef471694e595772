import { Fault } from "../../../core/base/fault.ts";
import { faults } from "../faults.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Change } from "./history.ts";
import type { RecordFile } from "./record-file.ts";
import type { StoreOptions } from "./options.ts";

/** A line of the file: revision, bucket, key, object. Without object a deletion; without key the revision to begin at. */
export interface StoreRecord {
  readonly r: number;
  readonly b?: string;
  readonly k?: string;
  readonly o?: KubeObject;
}

interface Pending {
  readonly record: StoreRecord;
  readonly change: Change;
  readonly done: (object: KubeObject) => void;
  readonly failed: (error: unknown) => void;
}

/** Puts changes on the disk in the order in which they come. */
export interface Writer {
  /** Throws when no more can be written. */
  check(): void;
  add(record: StoreRecord, change: Change): Promise<KubeObject>;
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Writes whatever has gathered while the disk was busy as one group. */
export function createWriter(
  file: RecordFile,
  options: StoreOptions,
  on: { committed: (change: Change) => void; live: () => StoreRecord[] },
): Writer {
  const slack = options.slackBytes ?? 16 * 1024 * 1024;
  let pending: Pending[] = [];
  let running: Promise<void> | undefined;
  let failure: Fault | undefined;
  let limit = Math.max(slack, file.size() + slack);

  const flushGroups = async (): Promise<void> => {
    while (pending.length > 0) {
      const group = pending;
      pending = [];
      try {
        await file.append(group.map(({ record }) => record));
        if (file.size() > limit) {
          await file.replace(on.live());
          limit = file.size() * 2 + slack;
        }
      } catch (error) {
        failure = new Fault(faults.storeWrite, `writing the store failed`, { dataDir: options.dataDir }, error);
        options.log.error("the store cannot be written", { error });
        for (const { failed } of [...group, ...pending]) failed(failure);
        return;
      }
      for (const { change, done } of group) {
        on.committed(change);
        done(change.object);
      }
    }
  };
  const run = (): Promise<void> => {
    running ??= flushGroups().finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    check: () => {
      if (failure !== undefined) throw failure;
    },
    add: (record, change) =>
      new Promise((done, failed) => {
        pending.push({ record, change, done, failed });
        // the group begins in the next turn, so that writes of the same turn share one trip to the disk
        setImmediate(() => void run());
      }),
    settled: () => (pending.length === 0 && running === undefined ? Promise.resolve() : run()),
    close: async () => {
      failure ??= new Fault(faults.storeClosed, "the store is closed");
      await run();
      await file.close();
    },
  };
}
