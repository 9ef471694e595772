import { LABELS } from "../../core/api/names.ts";
import type { DatabaseRecord } from "../../core/api/records.ts";
import { ConfigMaps } from "#kit/kube/builtin";
import { startInformer } from "#kit/kube/informer";
import type { Mark } from "./load/timeline.ts";
import { DEMO } from "./steps/objects.ts";
import type { WaitContext } from "./steps/wait.ts";

/** Calls `onMark` at each change of a primary, and of the number of shards, of the database of the demo, until the signal comes; begins with what is there. */
export async function followMoves(context: WaitContext, onMark: (mark: Mark) => void): Promise<void> {
  const { kube, clock, log, signal } = context;
  const labelSelector = `${LABELS.cluster}=${DEMO.cluster},${LABELS.record}=database`;
  const records = startInformer(kube, ConfigMaps, { namespace: DEMO.namespace, labelSelector, log, clock, signal });
  await records.synced;
  const known = new Map(records.list().map((one) => [one.metadata.name, shardsIn(one)]));
  records.onChange(({ name }, current) => {
    if (current === undefined) return;
    const shards = shardsIn(current);
    const at = clock.now().getTime();
    for (const text of listMoves(known.get(name) ?? shards, shards)) onMark({ at, kind: "move", text });
    known.set(name, shards);
  });
}

type ShardEpoch = Pick<DatabaseRecord["shards"][number], "id" | "epoch">;

/** What has moved between two records of a database, in words. */
export function listMoves(before: readonly ShardEpoch[], after: readonly ShardEpoch[]): readonly string[] {
  const moved = after.filter(({ id, epoch }) => {
    const former = before.find((shard) => shard.id === id);
    return former !== undefined && former.epoch < epoch;
  });
  const primaries = moved.map(({ id }) => `shard ${id} has another primary`);
  return before.length === after.length ? primaries : [...primaries, `${after.length} shards serve`];
}

function shardsIn({ data }: { readonly data?: Readonly<Record<string, string>> }): readonly ShardEpoch[] {
  const { shards }: Pick<DatabaseRecord, "shards"> = JSON.parse(data?.["record"] ?? '{"shards":[]}');
  return shards;
}
