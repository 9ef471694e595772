import type { Secret } from "kubernetes-types/core/v1.js";
import type { Stored } from "#kit/kube/kube";

/** Base64, as `data` of a secret has it. */
export function encodeBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Each of these texts so. */
export function encodedAll(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encodeBase64(text)]));
}

/** The text behind a key of a secret; empty when it has none. */
export function secretText(secret: Stored<Secret> | undefined, key: string): string {
  return Buffer.from(secret?.data?.[key] ?? "", "base64").toString();
}
