import type { ConfigMapKeySelector, Container, EnvFromSource, EnvVar, EnvVarSource } from "kubernetes-types/core/v1.js";
import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import { faults } from "../faults.ts";
import { fieldValue, resourceValue } from "./facts.ts";
import type { PodFacts } from "./facts.ts";
import type { ConfigContents, ConfigSources } from "./config-sources.ts";

export type ProcessEnvironment = Readonly<Record<string, string>>;

/**
 * The variables of a container: `base`, then envFrom, then env, each seeing those before it.
 * KUBELET_CONFIG_MISSING when a Secret, ConfigMap or key does not exist and is not optional.
 */
export async function environmentOf(
  container: Container,
  base: ProcessEnvironment,
  facts: PodFacts,
  sources: ConfigSources,
): Promise<ProcessEnvironment> {
  let env: ProcessEnvironment = base;
  for (const source of container.envFrom ?? []) env = { ...env, ...(await allOf(source, sources)) };
  for (const variable of container.env ?? []) {
    const value = await valueOf(variable, container, env, facts, sources);
    if (value !== undefined) env = { ...env, [variable.name]: value };
  }
  return env;
}

/** Replaces `$(NAME)` where NAME is set; `$$(NAME)` stands for the text `$(NAME)`. */
export function expand(text: string, env: ProcessEnvironment): string {
  return text.replaceAll(/\$\$|\$\(([^()]*)\)/g, (whole, name: string | undefined) =>
    name === undefined ? "$" : (env[name] ?? whole),
  );
}

async function allOf(
  { prefix = "", secretRef, configMapRef }: EnvFromSource,
  sources: ConfigSources,
): Promise<ProcessEnvironment> {
  const taken = async (kind: string, ref: typeof secretRef, read: ConfigSources["secret"]): Promise<ConfigContents> => {
    if (ref === undefined) return {};
    const contents = await read(ref.name ?? "");
    if (contents === undefined && ref.optional !== true) throw missingConfig(kind, ref.name ?? "");
    return contents ?? {};
  };
  const contents = {
    ...(await taken("configmap", configMapRef, sources.configMap)),
    ...(await taken("secret", secretRef, sources.secret)),
  };
  return Object.fromEntries(Object.entries(contents).map(([key, value]) => [prefix + key, value.toString("utf8")]));
}

async function valueOf(
  variable: EnvVar,
  container: Container,
  env: ProcessEnvironment,
  facts: PodFacts,
  sources: ConfigSources,
): Promise<string | undefined> {
  if (variable.valueFrom === undefined) return expand(variable.value ?? "", env);
  return resolveReference(variable.valueFrom, container, facts, sources);
}

async function resolveReference(
  { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef }: EnvVarSource,
  container: Container,
  facts: PodFacts,
  sources: ConfigSources,
): Promise<string | undefined> {
  if (fieldRef !== undefined) return fieldValue(facts, fieldRef);
  if (resourceFieldRef !== undefined) return resourceValue(facts, container, resourceFieldRef);
  if (secretKeyRef !== undefined) return valueOfKey("secret", secretKeyRef, sources.secret);
  if (configMapKeyRef !== undefined) return valueOfKey("configmap", configMapKeyRef, sources.configMap);
  return "";
}

async function valueOfKey(
  kind: string,
  { name = "", key, optional }: ConfigMapKeySelector,
  read: ConfigSources["secret"],
): Promise<string | undefined> {
  const contents = await read(name);
  const value = contents?.[key];
  if (value !== undefined) return value.toString("utf8");
  if (optional === true) return undefined;
  throw contents === undefined
    ? missingConfig(kind, name)
    : new Fault(faults.configMissing, `couldn't find key ${key} in ${kind} ${name}`, { kind, name, key });
}

function missingConfig(kind: string, name: string): Fault {
  return new Fault(faults.configMissing, `${kind} "${name}" not found`, { kind, name });
}
