import type { ConfigMap } from "kubernetes-types/core/v1.js";
import { z } from "zod";
import type { SecretCounters } from "../../../core/planner/cluster/node-secrets.ts";
import { parseJson } from "#kit/base/json";

/** What the operator reads of the record of a cluster about its Secrets. */
export interface SecretState extends SecretCounters {
  readonly users: readonly { readonly secret: string }[];
}

/** What is read of it here; the leader checks the rest. */
const record = z.object({
  nextDatabase: z.int().positive(),
  nextUserSecret: z.int().positive().default(1),
  users: z.array(z.object({ secret: z.string() })).default([]),
});

/** Of a cluster that has not written its record yet. */
export const NEW_STATE: SecretState = { nextDatabase: 1, nextUserSecret: 1, users: [] };

/** What the record says; undefined when there is none, or it cannot be read. */
export function secretState(stored: Pick<ConfigMap, "data"> | undefined): SecretState | undefined {
  const text = stored?.data?.["record"];
  if (text === undefined) return undefined;
  // the nodes report a record that is not JSON, and go on with the one before
  return record.safeParse(parseJson(text)).data;
}
