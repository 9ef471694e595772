import { silentLog } from "#kit/base/log";
import type { DatabaseRecord } from "../../../src/core/api/records.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { ConfigMaps } from "#kit/kube/builtin";
import { startInformer } from "#kit/kube/informer";
import { recordRef } from "../world/records.ts";
import { PrimaryChanges, type Change } from "./changes.ts";
import type { Scene } from "./scene.ts";

/** The changes of the primary so far; disposed, it follows no further. */
export interface FollowedChanges extends Disposable {
  readonly changes: readonly Change[];
}

/** Follows the record of a database; resolves when it has been read. */
export async function followChanges({ cluster, kube }: Scene, uid: number): Promise<FollowedChanges> {
  const ending = new AbortController();
  const seen = new PrimaryChanges();
  const { name, namespace } = recordRef(cluster, uid);
  const informer = startInformer(kube, ConfigMaps, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
    log: silentLog,
    clock: systemClock,
    signal: ending.signal,
  });
  informer.onChange((_ref, object) => {
    const text = object?.data?.["record"];
    if (text !== undefined) seen.see(JSON.parse(text) as DatabaseRecord, Number(process.hrtime.bigint()));
  });
  await informer.synced;
  return {
    changes: seen.changes,
    [Symbol.dispose]: () => {
      ending.abort();
    },
  };
}
