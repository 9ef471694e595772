import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { recordedParameters, withClientParameters } from "../../../../core/api/settings/client-parameters.ts";
import type { AskedParameters } from "../../../../core/api/settings/client-parameters.ts";
import type { Clock } from "#kit/base/clock";
import type { ClientParametersRecord } from "../../../../ports/management/records.ts";
import type { Records } from "../../records/records.ts";
import { requireClientParameters } from "./checks.ts";
import type { CheckContext } from "./checks.ts";
import { changeRecord } from "./record-changes.ts";
import { Throttle } from "../http/pace.ts";
import { refusals, refuse } from "../http/refusals.ts";

/** What keeping the parameters of clients works on. */
export interface ClientParametersContext {
  readonly records: Pick<Records, "changeDatabase">;
  readonly members: CheckContext["members"];
  readonly clock: Clock;
}

/** How fast writes of a database follow each other. */
const WRITES = { burst: 8, periodMs: 1_000 } as const;

/** The parameters that were asked for a database, and the callers that wait for them. */
interface WaitingChange extends PromiseWithResolvers<ClientParametersRecord> {
  readonly asked: AskedParameters;
}

/** The writes of one database. */
interface DatabaseWrites {
  readonly pace: Throttle;
  readonly waiting: WaitingChange[];
  isBusy: boolean;
}

/**
 * Writes what clients set by CONFIG SET into the records, on the leader. There is one write for a database at a time, with all that was
 * asked for meanwhile, and it waits while there were many: clients that change their minds all the time delay each other alone.
 */
export class ClientParameterWrites {
  readonly #context: ClientParametersContext;
  readonly #databases = new Map<number, DatabaseWrites>();

  constructor(context: ClientParametersContext) {
    this.#context = context;
  }

  /** The number of databases for which something is kept: those with writes of the last moments, and no others. */
  get size(): number {
    this.#forgetRested();
    return this.#databases.size;
  }

  /** What the record has then; AGENT_OLDER_NODE while a node of an older release is a member. */
  set(bdb: number, asked: AskedParameters): Promise<ClientParametersRecord> {
    requireClientParameters(this.#context);
    this.#forgetRested();
    const change = { asked, ...Promise.withResolvers<ClientParametersRecord>() };
    const pace = new Throttle(this.#context.clock, WRITES);
    const database = this.#databases.get(bdb) ?? { pace, waiting: [], isBusy: false };
    this.#databases.set(bdb, database);
    database.waiting.push(change);
    if (!database.isBusy) void this.#write(bdb, database);
    return change.promise;
  }

  #forgetRested(): void {
    for (const [bdb, { isBusy, pace }] of this.#databases) if (!isBusy && pace.isRested) this.#databases.delete(bdb);
  }

  async #write(bdb: number, database: DatabaseWrites): Promise<void> {
    database.isBusy = true;
    while (database.waiting.length > 0) {
      const { waitMs } = database.pace;
      if (waitMs > 0) await this.#context.clock.sleep(waitMs);
      const batch = database.waiting.splice(0);
      try {
        const kept = await this.#change(bdb, batch, database.pace);
        for (const { resolve } of batch) resolve(kept);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    database.isBusy = false;
  }

  async #change(bdb: number, batch: readonly WaitingChange[], pace: Throttle): Promise<ClientParametersRecord> {
    let isSame = true;
    const record = await changeRecord(this.#context.records, bdb, (old) => {
      requireExisting(old);
      const next = batch.reduce((record, { asked }) => withClientParameters(record, asked), old);
      isSame = next === old;
      return next;
    });
    if (!isSame) pace.spend();
    const { revision, byClients } = recordedParameters(record);
    return { revision, client_parameters: byClients };
  }
}

function requireExisting({ name, status }: DatabaseRecord): void {
  if (status === "delete-pending") throw refuse(refusals.busy, `"${name}" is being deleted`);
}
