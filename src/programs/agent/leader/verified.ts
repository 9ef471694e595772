import type { DatabaseRecord } from "../../../core/api/records.ts";

/** Replicas whose content was compared in this leader term; a change of primary makes the comparison void. */
export class VerifiedReplicas {
  readonly #marks = new Map<number, Set<string>>();

  /** Ids of the instances of `record` that count as verified now. */
  of(record: DatabaseRecord): ReadonlySet<number> {
    const marks = this.#marks.get(record.uid) ?? new Set();
    const all = record.shards.flatMap(({ epoch, instances }) => instances.map(({ id }) => ({ id, epoch })));
    return new Set(all.filter((one) => marks.has(markOf(one))).map(({ id }) => id));
  }

  forget(database: number): void {
    this.#marks.delete(database);
  }

  add(record: DatabaseRecord, instance: number): void {
    const marks = this.#marks.get(record.uid) ?? new Set();
    marks.add(comparisonOf(record, instance));
    this.#marks.set(record.uid, marks);
  }
}

/** Names the comparison of a replica with its present primary; another primary makes another comparison. */
export function comparisonOf({ shards }: Pick<DatabaseRecord, "shards">, instance: number): string {
  const shard = shards.find(({ instances }) => instances.some(({ id }) => id === instance));
  return markOf({ id: instance, epoch: shard?.epoch ?? 0 });
}

function markOf({ id, epoch }: { readonly id: number; readonly epoch: number }): string {
  return `${epoch}/${id}`;
}
