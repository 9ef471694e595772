import { everyShard } from "../../api/every-shard.ts";
import type { DatabaseRecord } from "../../api/records.ts";
import type { SettingValues } from "../../api/settings/types.ts";
import { shareOf, type SlotHolder } from "../../slots/shard-slots.ts";
import { diskBytes } from "./disk-budget.ts";

type Sizes = Pick<SettingValues, "memoryBytes" | "persistence">;

/** What an instance may take of its node, in bytes. */
export interface InstanceSize {
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

/** What an instance of a shard may take of its node: its share of the database, by slots. */
export function instanceSize(settings: Sizes, shard: SlotHolder): InstanceSize {
  const memoryBytes = shareOf(settings.memoryBytes, shard);
  return { memoryBytes, diskBytes: diskBytes({ ...settings, memoryBytes }) };
}

/** What a database may take on the volume of a node, in bytes: a copy of each shard that is there; of data that no shard has there, one copy. */
export function diskBytesOn(record: Sizes & Pick<DatabaseRecord, "shards" | "reshape">, node: number): number {
  const here = everyShard(record).filter(({ instances }) => instances.some((instance) => instance.node === node));
  if (here.length === 0) return diskBytes(record);
  return here.reduce((sum, shard) => sum + instanceSize(record, shard).diskBytes, 0);
}
