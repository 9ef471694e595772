import type { z } from "zod";

/** Directives of an engine's configuration by name. */
export type Directives = Readonly<Record<string, string>>;

/** Of a setting: it is compared with ===. */
type Scalar = string | number | boolean;

/** How a setting takes effect once the record of a database has it. There is none yet that an engine must restart for. */
export type SettingEffect<Value> =
  /** Engines start with these directives, and get them by CONFIG SET while they run. */
  | {
      readonly by: "engines";
      readonly directives: (value: Value) => Directives;
      /** Directive by directive, the field of INFO with the value that a running engine has; one without a field is not checked. */
      readonly reportedAs: Directives;
    }
  /** Endpoints get the value with their configuration, and apply it without closing a connection. */
  | { readonly by: "endpoints" }
  /** The cluster leader acts on the record. */
  | { readonly by: "leader" };

/** One setting of a database: all that is to be known of it, from the field of an object to the engine. */
export interface Setting<
  SpecName extends string,
  SpecField extends z.ZodType,
  WireName extends string,
  Value extends Scalar,
  Fallback extends Value | undefined,
  How extends SettingEffect<Value>,
> {
  /** Name in `spec` of a StoreEnterpriseDatabase. */
  readonly specName: SpecName;
  /** What may be written there, its default and its description: from here into the definitions and the pages. */
  readonly specField: SpecField;
  /** The value of what is written there. */
  readonly fromSpec: (written: z.output<SpecField>) => Value;
  /** Name in bodies and answers of the management API. */
  readonly wireName: WireName;
  /** What the management API accepts. */
  readonly accepted: z.ZodType<Value>;
  /** What a record may hold: everything that any release has accepted. */
  readonly stored: z.ZodType<Value>;
  /** The value where none is given: by a request, or by a node or record of an older release. Undefined: one is always given. */
  readonly fallback: Fallback;
  readonly effect: How;
}

/** A setting with its ways in and out of objects that hold it by its names. */
export function defineSetting<
  const SpecName extends string,
  SpecField extends z.ZodType,
  const WireName extends string,
  Value extends Scalar,
  const Fallback extends Value | undefined,
  const How extends SettingEffect<Value>,
>(setting: Setting<SpecName, SpecField, WireName, Value, Fallback, How>) {
  type Spec = { readonly [Name in SpecName]: z.output<SpecField> };
  type Wire = { readonly [Name in WireName]: Value };
  return {
    ...setting,
    ofSpec: (spec: Spec): Value => setting.fromSpec(spec[setting.specName]),
    ofWire: (wire: Partial<Wire>): Value | undefined => wire[setting.wireName],
    // the one property is what the type says
    toWire: (value: Value): Wire => ({ [setting.wireName]: value }) as Wire,
  };
}
