import type { Secret } from "kubernetes-types/core/v1.js";
import type { Stored } from "#kit/kube/kube";

/** Keys whose values everybody may know, and which would be missed. */
const OPEN = ["ca.crt", "tls.crt", "cert", "username", "port", "service_names", "namespace"];

/** Every value of these Secrets that is to be found and taken out wherever it appears. */
export function secretValues(secrets: readonly Stored<Secret>[]): readonly string[] {
  return secrets.flatMap(({ data = {} }) =>
    Object.entries(data)
      .filter(([key]) => !OPEN.includes(key))
      .map(([, value]) => Buffer.from(value, "base64").toString()),
  );
}

/** A Secret as far as it may be shown: its name, and how long each value is. */
export function secretOutline({ metadata, type, data = {} }: Stored<Secret>): object {
  const { name, namespace, creationTimestamp } = metadata;
  const keys = Object.entries(data).map(([key, value]) => `${key} (${Buffer.from(value, "base64").length} bytes)`);
  return { name, namespace, creationTimestamp, type, keys };
}
