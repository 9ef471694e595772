import { SETTING_NAMES, TABLE } from "./table.ts";
import type { GivenSettings, SettingName, SettingValues, SpecSettings, WireSettings } from "./types.ts";

/** What the spec of a StoreEnterpriseDatabase asks for. */
export function settingsOfSpec(spec: SpecSettings): SettingValues {
  return complete(collectSettings((name) => TABLE[name].ofSpec(spec)));
}

/** What a body or an answer of the management API says; what it leaves out has its fallback. */
export function settingsOfWire(wire: WireSettings): SettingValues {
  return complete(collectSettings((name) => TABLE[name].ofWire(wire) ?? TABLE[name].fallback));
}

/** What a body of the management API changes: only what it names. */
export function changesOfWire(wire: Partial<WireSettings>): Partial<SettingValues> {
  return collectSettings((name) => TABLE[name].ofWire(wire));
}

/** The settings of `desired` that `existing` does not have. */
export function differingSettings(desired: SettingValues, existing: SettingValues): Partial<SettingValues> {
  return collectSettings((name) => (desired[name] === existing[name] ? undefined : desired[name]));
}

/** The fields of a spec that say these settings. */
export function specNames(settings: Partial<SettingValues>): readonly string[] {
  return SETTING_NAMES.filter((name) => settings[name] !== undefined).map((name) => TABLE[name].specName);
}

/** The settings that differ from their fallbacks: a cluster of an older release refuses a name that it does not know. */
export function settingsBesidesFallbacks(settings: SettingValues): GivenSettings {
  const given = collectSettings((name) => (settings[name] === TABLE[name].fallback ? undefined : settings[name]));
  return given as GivenSettings; // what has no fallback is never left out
}

/** The settings as the management API names them. */
export function wireOf(settings: GivenSettings): WireSettings;
export function wireOf(settings: Partial<SettingValues>): Partial<WireSettings>;
export function wireOf(settings: Partial<SettingValues>): Partial<WireSettings> {
  const named = <Name extends SettingName>(name: Name): Partial<WireSettings> => {
    const value = settings[name];
    return value === undefined ? {} : TABLE[name].toWire(value);
  };
  return SETTING_NAMES.reduce<Partial<WireSettings>>((wire, name) => ({ ...wire, ...named(name) }), {});
}

/** The settings that `valueOf` has a value for. */
function collectSettings(
  valueOf: <Name extends SettingName>(name: Name) => SettingValues[Name] | undefined,
): Partial<SettingValues> {
  const found: { -readonly [Name in SettingName]?: SettingValues[Name] } = {};
  const collect = <Name extends SettingName>(name: Name): void => {
    const value = valueOf(name);
    if (value !== undefined) found[name] = value;
  };
  for (const name of SETTING_NAMES) collect(name);
  return found;
}

/** Each setting has a value: the types of what they were read from say so. */
function complete(settings: Partial<SettingValues>): SettingValues {
  return settings as SettingValues;
}
