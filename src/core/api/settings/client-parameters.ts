import { parametersIn, parametersText } from "./engine-parameters.ts";
import { parameterNamed } from "./parameter-table.ts";
import type { NamedParameter } from "./parameter-table.ts";
import type { SettingValues } from "./types.ts";

/** What clients of a database have set by CONFIG SET, as its record keeps it. */
export interface ClientParameters {
  /** Rises with each change. */
  readonly revision: number;
  /** `name=value`, sorted, with blanks between; what has its default is not in it. */
  readonly values: string;
}

/** Values by name, each as engines show it. */
export type AskedParameters = ReadonlyMap<string, string>;

/** The arguments of a CONFIG SET: what to set, an engine's error, or a name that no database may set. */
export type ParsedParameters =
  | { readonly kind: "asked"; readonly asked: AskedParameters }
  | { readonly kind: "error"; readonly error: string }
  | { readonly kind: "other"; readonly name: string };

/** Reads name, value, name, value and so on in the order in which engines find faults. */
export function parseParameters(args: readonly string[]): ParsedParameters {
  if (args.length < 2) return parseError("ERR wrong number of arguments for 'config|set' command");
  if (args.length % 2 === 1) return parseError("ERR syntax error");
  const written = new Map<string, { readonly parameter: NamedParameter; readonly value: string }>();
  for (let i = 0; i < args.length; i += 2) {
    const [name = "", value = ""] = args.slice(i, i + 2);
    const parameter = parameterNamed(name);
    if (parameter === undefined) return { kind: "other", name };
    if (written.has(name.toLowerCase())) return objection(name, "duplicate parameter");
    written.set(name.toLowerCase(), { parameter, value });
  }
  const asked = new Map<string, string>();
  for (const [name, { parameter, value }] of written) {
    const parsed = parameter.values.parse(value);
    if ("objection" in parsed) return objection(name, parsed.objection);
    asked.set(parameter.name, parsed.value);
  }
  return { kind: "asked", asked };
}

/** A record, as far as it is about parameters. */
type ParametersRecord = Pick<SettingValues, "engineParameters"> & { readonly clientParameters?: ClientParameters };

/** The parameters of a record, each `name=value` with blanks between. */
export interface RecordedParameters {
  /** Rises with each change of what clients have set. */
  readonly revision: number;
  readonly byClients: string;
  /** It counts before what clients have set. */
  readonly byDefinition: string;
}

/** What a record says. */
export function recordedParameters({ clientParameters, engineParameters }: ParametersRecord): RecordedParameters {
  const { revision, values } = clientParameters ?? NOTHING;
  return { revision, byClients: values, byDefinition: engineParameters };
}

/** The settings that count: the definition of the database has the last word. */
export function effectiveSettings<Kept extends ParametersRecord>(record: Kept): Kept {
  return { ...record, engineParameters: effectiveParameters(recordedParameters(record)) };
}

/** Both in one text. */
export function effectiveParameters({ byClients, byDefinition }: RecordedParameters): string {
  return parametersText(Object.fromEntries([...parametersIn(byClients), ...parametersIn(byDefinition)]));
}

/** What a text asks for. */
export function askedIn(text: string): AskedParameters {
  return new Map([...parametersIn(text)].map(([name, value]) => [name, shownValue(name, value)]));
}

/** The value of a parameter in a text; its default when the text does not name it. */
export function valueIn(text: string, name: string): string {
  return shownValue(name, parametersIn(text).get(name) ?? parameterNamed(name)?.fallback ?? "");
}

/** A value in the form in which engines show it. */
export function shownValue(name: string, written: string): string {
  const parsed = parameterNamed(name)?.values.parse(written);
  return parsed !== undefined && "value" in parsed ? parsed.value : written;
}

/** The first that the definition gives another value. */
export function definedOtherwise(asked: AskedParameters, byDefinition: string): string | undefined {
  const defined = parametersIn(byDefinition);
  return [...asked].find(([name, value]) => defined.has(name) && valueIn(byDefinition, name) !== value)?.[0];
}

/** The record after a CONFIG SET; the same object when that changes nothing. */
export function withClientParameters<Kept extends ParametersRecord>(record: Kept, asked: AskedParameters): Kept {
  const { revision, values } = record.clientParameters ?? NOTHING;
  const defined = parametersIn(record.engineParameters);
  const own = [...asked].filter(([name]) => !defined.has(name));
  const next = new Map([...parametersIn(values), ...own]);
  for (const [name, value] of own) if (value === parameterNamed(name)?.fallback) next.delete(name);
  const text = parametersText(Object.fromEntries(next));
  return text === values ? record : { ...record, clientParameters: { revision: revision + 1, values: text } };
}

const NOTHING: ClientParameters = { revision: 0, values: "" };

function objection(name: string, why: string): ParsedParameters {
  return parseError(`ERR CONFIG SET failed (possibly related to argument '${name}') - ${why}`);
}

function parseError(error: string): ParsedParameters {
  return { kind: "error", error };
}
