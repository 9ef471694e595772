import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import { faults } from "../faults.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Change } from "./history.ts";
import type { StoreRecord } from "./record.ts";
import type { RecordFile } from "./record-file.ts";
import type { StoreOptions } from "./options.ts";

interface Pending {
  readonly line: string;
  readonly change: Change;
  readonly done: (object: KubeObject) => void;
  readonly failed: (error: unknown) => void;
}

/** What the writer reports to the store, and asks of it. */
export interface WriterEvents {
  readonly committed: (change: Change) => void;
  /** The records of the present state, for a file that has grown too long. */
  readonly live: () => StoreRecord[];
}

/** Puts changes on the disk in order; what gathers while the disk is busy is written as one group. */
export class GroupWriter {
  readonly #file: RecordFile;
  readonly #options: StoreOptions;
  readonly #on: WriterEvents;
  readonly #slack: number;
  #pending: Pending[] = [];
  #running: Promise<void> | undefined;
  #failure: Fault | undefined;
  #limit: number;

  constructor(file: RecordFile, options: StoreOptions, on: WriterEvents) {
    this.#file = file;
    this.#options = options;
    this.#on = on;
    this.#slack = options.slackBytes ?? 16 * 1024 * 1024;
    this.#limit = Math.max(this.#slack, file.size() + this.#slack);
  }

  /** Throws when no more can be written. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** `line`: the record of the change, as the file has it. */
  add(line: string, change: Change): Promise<KubeObject> {
    return new Promise((done, failed) => {
      this.#pending.push({ line, change, done, failed });
      // the group begins in the next turn, so that writes of the same turn share one trip to the disk
      setImmediate(() => void this.#run());
    });
  }

  settled(): Promise<void> {
    return this.#pending.length === 0 && this.#running === undefined ? Promise.resolve() : this.#run();
  }

  async close(): Promise<void> {
    this.#failure ??= new Fault(faults.storeClosed, "the store is closed");
    await this.#run();
    await this.#file.close();
  }

  #run(): Promise<void> {
    this.#running ??= this.#flush().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #flush(): Promise<void> {
    while (this.#pending.length > 0) {
      const group = this.#pending;
      this.#pending = [];
      try {
        await this.#append(group);
      } catch (error) {
        const { dataDir, log } = this.#options;
        this.#failure = new Fault(faults.storeWrite, `writing the store failed`, { dataDir }, error);
        log.error("the store cannot be written", { error });
        for (const { failed } of [...group, ...this.#pending]) failed(this.#failure);
        return;
      }
      for (const { change, done } of group) {
        this.#on.committed(change);
        done(change.object);
      }
    }
  }

  async #append(group: readonly Pending[]): Promise<void> {
    await this.#file.append(group.map(({ line }) => line));
    if (this.#file.size() <= this.#limit) return;
    await this.#file.replace(this.#on.live());
    this.#limit = this.#file.size() * 2 + this.#slack;
  }
}
