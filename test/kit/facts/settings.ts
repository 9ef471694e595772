import { engineDirectives } from "../../../src/core/api/settings/effects.ts";
import type { Directives } from "../../../src/core/api/settings/setting.ts";
import type { SettingValues } from "../../../src/core/api/settings/types.ts";
import { settingsOfWire } from "../../../src/core/api/settings/values.ts";

/** The settings of a database of 100 MB; whatever else is not given has the value that it has without being asked for. */
export function settingsWith(given: Partial<SettingValues> = {}): SettingValues {
  return { ...settingsOfWire({ memory_size: 100_000_000 }), ...given };
}

/** The directives of engines with these settings. */
export function directivesWith(given: Partial<SettingValues> = {}): Directives {
  return engineDirectives(settingsWith(given));
}
