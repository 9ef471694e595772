import type { SettingValues } from "../api/settings/types.ts";
import { shareOf, type SlotHolder } from "../slots/shard-slots.ts";

/** The settings that the engines of a shard have: its share of what the database may use. */
export function ofShard<Settings extends Pick<SettingValues, "memoryBytes">>(
  settings: Settings,
  shard: SlotHolder,
): Settings {
  return { ...settings, memoryBytes: shareOf(settings.memoryBytes, shard) };
}
