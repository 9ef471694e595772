import { everyShard } from "../../../core/api/every-shard.ts";
import type { DatabaseRecord, InstanceRecord } from "../../../core/api/records.ts";
import { primaryOf, replicasOf } from "../../../core/planner/database/facts.ts";
import { isConfigFileOf } from "../../../mechanisms/supervisor/instance-files.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import type { DatabasePasswords } from "../credentials/database-passwords.ts";
import { engineAddress } from "../members/addresses.ts";
import type { EngineAddressContext } from "../members/addresses.ts";
import type { EngineAnswer, EngineWatch } from "./engine-watch.ts";

/** What the engines of a database answered, by instance id. */
export type EngineAnswers = ReadonlyMap<number, EngineAnswer>;

/** What asking the engines of a database takes. */
export interface EnginesContext extends EngineAddressContext {
  readonly passwords: Pick<DatabasePasswords, "of">;
  readonly engines: Pick<EngineWatch, "ask">;
}

/** Asks every engine of a database once; none of a database that is being deleted. */
export async function observeEngines(context: EnginesContext, record: DatabaseRecord): Promise<EngineAnswers> {
  if (record.status === "delete-pending") return new Map();
  const { access } = await context.passwords.of(record);
  return askEngines(record, context.engines, (instance) => engineAddress(context, instance, access));
}

/**
 * The primary is asked before its replicas: a replica whose offset has reached the
 * primary's then surely holds everything up to that moment.
 */
async function askEngines(
  record: DatabaseRecord,
  engines: Pick<EngineWatch, "ask">,
  addressOf: (instance: InstanceRecord) => EngineAddress | undefined,
): Promise<EngineAnswers> {
  const answers = new Map<number, EngineAnswer>();
  const ask = async (instance: InstanceRecord): Promise<void> => {
    const address = addressOf(instance);
    const answer: EngineAnswer =
      address === undefined
        ? { state: "silent", why: `node ${instance.node} has no address` }
        : await engines.ask(address);
    answers.set(instance.id, isAnother(answer, record, instance) ? { state: "refused" } : answer);
  };
  for (const shard of everyShard(record)) {
    await ask(primaryOf(shard));
    await Promise.all(replicasOf(shard).map(ask));
  }
  return answers;
}

/** Another engine listens at the address of the instance: it must not be taken for the instance. */
function isAnother(answer: EngineAnswer, { uid }: DatabaseRecord, { id }: InstanceRecord): boolean {
  return answer.state === "serving" && !isConfigFileOf(answer.configFile, uid, id);
}
