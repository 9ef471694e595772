import type { SettingValues } from "../../api/settings/types.ts";

/** Why a database with this eviction policy cannot be a site; undefined when it can. */
export function evictionObjection(policy: SettingValues["evictionPolicy"]): string | undefined {
  if (!policy.startsWith("allkeys-")) return undefined;
  return (
    `the eviction policy "${policy}" evicts what the link keeps in the engine, and keys at one site alone; ` +
    `an Active-Active database has noeviction or one of volatile-lru, volatile-lfu, volatile-random, volatile-ttl`
  );
}
