import { createSecretOf, editObject, getObjects } from "../../core/api/kubectl.ts";
import { OPERATOR_NAME } from "../../core/api/names.ts";
import type { FaultSpec } from "../../core/base/fault.ts";

/** What can go wrong in the operator. */
export const faults = {
  badConfig: {
    code: "OPERATOR_BAD_CONFIG",
    retry: "never",
    remedy: `Correct the environment of the Deployment: ${editObject(`deployment ${OPERATOR_NAME}`)}.`,
  },
  noConnection: {
    code: "OPERATOR_NO_CONNECTION",
    retry: "backoff",
    remedy: `Wait until the secrets and pods of the cluster are there: ${getObjects("secrets,pods -l app=store-enterprise")}.`,
  },
  secretOfAnother: {
    code: "OPERATOR_SECRET_OF_ANOTHER",
    retry: "never",
    remedy: `Name another Secret, or leave spec.databaseSecretName out: ${editObject("redb <name>")}.`,
  },
  noSecret: {
    code: "OPERATOR_NO_SECRET",
    retry: "backoff",
    remedy: `Create the secret that the message names: ${createSecretOf("<name>", { username: "…", password: "…" })}.`,
  },
} as const satisfies Record<string, FaultSpec>;
