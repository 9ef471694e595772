import type { DatabaseRecord } from "../../../../core/api/records.ts";
import type { ProofRoom } from "../../../../core/backup/proof.ts";
import { sizesOn } from "../../../../core/planner/database/placement.ts";
import { freeBytes, restingBytes } from "../../../../core/planner/node/capacity.ts";
import { reserveOf } from "../../../../core/planner/node/full-volume.ts";
import { placedInstances } from "../../../../core/records/placed-instances.ts";
import type { ProofMeans } from "../../node/backup-proof.ts";
import { nodeMemory } from "../../node/node-memory.ts";
import { roomOn } from "../../node/volume-guard.ts";
import type { LoadedModules } from "../../modules/module-store.ts";
import type { Records } from "../../records/records.ts";
import type { AgentConfig } from "../../runtime/config.ts";

/** What the room for a throw-away engine follows from. */
export interface ProofRoomContext {
  readonly config: Pick<AgentConfig, "node" | "dataDir" | "root" | "workers">;
  readonly records: Pick<Records, "databases">;
  /** Limit of the container of the engines, in bytes; undefined where they run in that of the agent. */
  readonly engineMemory: () => number | undefined;
  readonly modulesOf: LoadedModules;
}

/**
 * With what a backup of a database is proved. Room is what instances leave that are full and save nothing: the engine that loads a file ends first when
 * memory does.
 */
export function proofMeans(context: ProofRoomContext, record: DatabaseRecord): ProofMeans {
  const { config, records, engineMemory, modulesOf } = context;
  const room = async (): Promise<ProofRoom> => {
    const sizes = sizesOn(config.node, placedInstances(records.databases()));
    const { total, free } = await roomOn(config.dataDir);
    const memory = freeBytes(nodeMemory(config, engineMemory()), sizes, restingBytes);
    return { memory, disk: free - reserveOf(total) };
  };
  return { room, modules: modulesOf(record, record.storeVersion) };
}
