import { DATABASE_SETTINGS } from "./database-settings.ts";
import type { SettingEffect } from "./setting.ts";
import type { SettingName, SettingValues, SpecSettings, WireSettings } from "./types.ts";

/** What all settings have in common, for code that treats them alike. */
interface AnySetting<Value> {
  readonly specName: string;
  readonly fallback: Value | undefined;
  readonly effect: SettingEffect<Value>;
  readonly ofSpec: (spec: SpecSettings) => Value;
  readonly ofWire: (wire: Partial<WireSettings>) => Value | undefined;
  readonly toWire: (value: Value) => Partial<WireSettings>;
}

/** The declared settings, each with the type of its own value. */
export const TABLE: { readonly [Name in SettingName]: AnySetting<SettingValues[Name]> } = DATABASE_SETTINGS;

// Object.keys() knows no types: these are the keys of the table
export const SETTING_NAMES = Object.keys(DATABASE_SETTINGS) as readonly SettingName[];
