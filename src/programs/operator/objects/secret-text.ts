import type { Secret } from "kubernetes-types/core/v1.js";
import { isFault } from "../../../core/base/fault.ts";
import { Secrets } from "../../../ports/kube/builtin.ts";
import { faults } from "../../../ports/kube/faults.ts";
import type { Kube, Stored } from "../../../ports/kube/kube.ts";
import { refOf } from "../../../ports/kube/ref.ts";

/** Base64, as `data` of a secret has it. */
export function encoded(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Each of these texts so. */
export function encodedAll(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encoded(text)]));
}

/** The text behind a key of a secret; empty when it has none. */
export function textOf(secret: Stored<Secret> | undefined, key: string): string {
  return Buffer.from(secret?.data?.[key] ?? "", "base64").toString();
}

/** Writes these keys in one write, and removes those of undefined. What another writer changed meanwhile is looked at by the next pass. */
export async function writeUnlessChanged(
  kube: Kube,
  secret: Stored<Secret>,
  texts: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, text === undefined ? null : encoded(text)]),
  );
  const body = { metadata: { resourceVersion: secret.metadata.resourceVersion }, data };
  try {
    await kube.patch(Secrets, refOf(secret), { type: "merge", body });
  } catch (error) {
    if (!isFault(error, faults.conflict)) throw error;
  }
}
