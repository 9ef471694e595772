import type { z } from "zod";
import type { DATABASE_SETTINGS } from "./database-settings.ts";

type Settings = typeof DATABASE_SETTINGS;

/** Key of a setting in the record. */
export type SettingName = keyof Settings;
type ValueOf<Name extends SettingName> = z.output<Settings[Name]["stored"]>;

/** Settings that have no value unless one is given. */
type RequiredName = {
  [Name in SettingName]: Settings[Name]["fallback"] extends undefined ? Name : never;
}[SettingName];
type EndpointName = {
  [Name in SettingName]: Settings[Name]["effect"] extends { readonly by: "endpoints" } ? Name : never;
}[SettingName];

/** The settings of a database as its record holds them. */
export type SettingValues = { readonly [Name in SettingName]: ValueOf<Name> };

/** Settings, in which those with a fallback may be absent. */
export type GivenSettings = Partial<SettingValues> & Pick<SettingValues, RequiredName>;

/** The settings that the endpoints of the database apply. */
export type EndpointSettings = Pick<SettingValues, EndpointName>;

/** The settings as bodies and answers of the management API have them: where one is left out, it has its fallback. */
export type WireSettings = {
  readonly [Name in RequiredName as Settings[Name]["wireName"]]: ValueOf<Name>;
} & {
  readonly [Name in Exclude<SettingName, RequiredName> as Settings[Name]["wireName"]]?: ValueOf<Name>;
};

/** The fields of `spec` of a StoreEnterpriseDatabase. */
export type SpecFields = { readonly [Name in SettingName as Settings[Name]["specName"]]: Settings[Name]["specField"] };

/** The fields of `spec` with every default filled in. */
export type SpecSettings = {
  readonly [Name in SettingName as Settings[Name]["specName"]]: z.output<Settings[Name]["specField"]>;
};

/** The fields of the record's schema. */
export type StoredFields = { readonly [Name in SettingName]: z.ZodType<ValueOf<Name>> };

/** The fields of the body that changes a database. */
export type ChangeFields = {
  readonly [Name in SettingName as Settings[Name]["wireName"]]: z.ZodExactOptional<z.ZodType<ValueOf<Name>>>;
};

/** The fields of the body that makes a database. */
export type CreateFields = Omit<ChangeFields, keyof RequiredFields> & RequiredFields;
type RequiredFields = { readonly [Name in RequiredName as Settings[Name]["wireName"]]: z.ZodType<ValueOf<Name>> };
