import { annotate, createSecretOf, editObject, getObjects } from "../../core/api/kubectl.ts";
import { GIVEN_ANNOTATION, OPERATOR_NAME } from "../../core/api/names.ts";
import type { FaultSpec } from "#kit/base/fault";
import { placeholder } from "#kit/base/shell-word";

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
    remedy: `Name another Secret, or leave spec.databaseSecretName out: ${editObject(placeholder("redb <name>"))}.`,
  },
  objectNotOurs: {
    code: "OPERATOR_OBJECT_NOT_OURS",
    retry: "backoff",
    remedy: `Look whose the object is that the message names, and delete it, or give it to the cluster: ${annotate(placeholder("<kind>"), placeholder("<name>"), placeholder(`${GIVEN_ANNOTATION}=<uid of the cluster>`))}.`,
  },
  secretNotGiven: {
    code: "OPERATOR_SECRET_NOT_GIVEN",
    retry: "backoff",
    remedy: `Let the owner of the Secret give it for this use, with the annotation that the message names: ${annotate("secret", placeholder("<name>"), placeholder("<annotation>=<value>"))}.`,
  },
  noSecret: {
    code: "OPERATOR_NO_SECRET",
    retry: "backoff",
    remedy: `Create the secret that the message names: ${createSecretOf(placeholder("<name>"), { username: "…", password: "…" })}.`,
  },
} as const satisfies Record<string, FaultSpec>;
