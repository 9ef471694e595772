import type { ConfigMap, Secret } from "kubernetes-types/core/v1.js";
import { ConfigMaps, Secrets } from "../../../../controller-kit/src/kube/builtin.ts";
import type { Kube, Stored } from "../../../../controller-kit/src/kube/kube.ts";

/** Keys and contents of a Secret or a ConfigMap. */
export type ConfigContents = Readonly<Record<string, Buffer>>;

/** Where a pod's Secrets and ConfigMaps are read; always the newest, so a pod never starts with yesterday's password. */
export interface ConfigSources {
  /** Undefined when it does not exist. */
  secret(name: string): Promise<ConfigContents | undefined>;
  configMap(name: string): Promise<ConfigContents | undefined>;
}

/** The Secrets and ConfigMaps of one namespace. */
export function configSourcesOf(kube: Kube, namespace: string): ConfigSources {
  return {
    secret: async (name) => contentsOfSecret(await kube.get(Secrets, { name, namespace })),
    configMap: async (name) => contentsOfConfigMap(await kube.get(ConfigMaps, { name, namespace })),
  };
}

function contentsOfSecret(secret: Stored<Secret> | undefined): ConfigContents | undefined {
  if (secret === undefined) return undefined;
  return decodeData(secret.data, "base64");
}

function contentsOfConfigMap(map: Stored<ConfigMap> | undefined): ConfigContents | undefined {
  if (map === undefined) return undefined;
  return { ...decodeData(map.data, "utf8"), ...decodeData(map.binaryData, "base64") };
}

function decodeData(data: Readonly<Record<string, string>> | undefined, encoding: "base64" | "utf8"): ConfigContents {
  return Object.fromEntries(Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(value, encoding)]));
}
