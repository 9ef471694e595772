import { Fault } from "#kit/base/fault";
import type { DatabaseTemplate } from "../../../core/api/restore-spec.ts";
import { mayAwaitData } from "../../../core/api/awaits-data.ts";
import { Databases, Restores } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import { findBackup } from "../backup/find.ts";
import { faults } from "../faults.ts";

/** What `storectl restore` asks for. */
export interface RestoreRequest {
  readonly backup: string;
  readonly into: string;
  readonly name?: string;
  readonly memory?: string;
  readonly storeVersion?: string;
  readonly shards?: number;
  readonly slots?: readonly string[];
  readonly replaceLostData?: boolean;
  readonly encryptionSecret?: string;
  readonly dryRun?: boolean;
}

/** Makes the object that asks for a restore, and answers with its name; CLI_RESTORE_EXISTS when the database is there and has data. */
export async function askForRestore(
  access: Pick<NamespaceAccess, "kube" | "namespace" | "clock">,
  request: RestoreRequest,
): Promise<string> {
  const { kube, namespace, clock } = access;
  const { backup, into, replaceLostData = false, encryptionSecret: secretName, dryRun } = request;
  await findBackup(access, backup);
  const there = await kube.get(Databases, { name: into, namespace });
  if (there !== undefined && !replaceLostData && !mayAwaitData(there))
    throw new Fault(faults.restoreExists, `namespace ${namespace} has a StoreEnterpriseDatabase "${into}"`);
  const name = request.name ?? `${into}-${clock.now().getTime().toString(36)}`;
  const database = templateOf(request);
  const spec = {
    databaseName: into,
    backupName: backup,
    ...(Object.keys(database).length === 0 ? {} : { database }),
    ...(replaceLostData ? { replaceLostData } : {}),
    ...(secretName === undefined ? {} : { encryption: { secretName } }),
    ...(dryRun === true ? { dryRun } : {}),
  };
  await kube.create(Restores, { metadata: { name, namespace }, spec });
  return name;
}

function templateOf({ memory, storeVersion, shards, slots }: RestoreRequest): DatabaseTemplate {
  return {
    ...(shards === undefined ? {} : { shardCount: shards }),
    ...(slots === undefined ? {} : { shardSlots: [...slots] }),
    ...(memory === undefined ? {} : { memorySize: memory }),
    // what is none is refused with the field
    ...(storeVersion === undefined ? {} : { storeVersion: storeVersion as DatabaseTemplate["storeVersion"] }),
  };
}
