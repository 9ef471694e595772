import type { Directives, SettingEffect } from "./setting.ts";
import { SETTING_NAMES, TABLE } from "./table.ts";
import type { EndpointSettings, SettingName, SettingValues } from "./types.ts";

/** The directives that engines of a database with these settings have. */
export function engineDirectives(settings: SettingValues): Directives {
  const of = <Name extends SettingName>(name: Name): Directives => directivesOf(TABLE[name].effect, settings[name]);
  return SETTING_NAMES.reduce<Directives>((all, name) => ({ ...all, ...of(name) }), {});
}

/** The settings that endpoints of a database apply. */
export function endpointSettings(settings: SettingValues): EndpointSettings {
  const names = SETTING_NAMES.filter((name) => TABLE[name].effect.by === "endpoints");
  const values = Object.fromEntries(names.map((name) => [name, settings[name]]));
  return values as EndpointSettings; // its type has the same names
}

/** Whether an engine has these settings, as far as the fields of its INFO tell. */
export function reportsSettings(settings: SettingValues, info: Pick<ReadonlyMap<string, string>, "get">): boolean {
  const directives = engineDirectives(settings);
  return Object.entries(REPORTED).every(([directive, field]) => info.get(field) === directives[directive]);
}

/** Directive by directive, the field of INFO that tells what an engine has. */
const REPORTED = SETTING_NAMES.map((name) => TABLE[name].effect).reduce<Directives>(
  (all, effect) => ({ ...all, ...(effect.by === "engines" ? effect.reportedAs : {}) }),
  {},
);

function directivesOf<Value>(effect: SettingEffect<Value>, value: Value): Directives {
  return effect.by === "engines" ? effect.directives(value) : {};
}
