import { getNodePods, getObjects, nodeLog } from "../../core/api/kubectl.ts";
import type { FaultSpec } from "#kit/base/fault";
import { placeholder } from "#kit/base/shell-word";

/** What can go wrong between a caller of the management API and the cluster. */
export const faults = {
  unreachable: {
    code: "MANAGEMENT_UNREACHABLE",
    retry: "backoff",
    remedy: `Check that the node pods run: ${getNodePods()}. Check that port 9443 is open to them.`,
  },
  unauthorized: {
    code: "MANAGEMENT_UNAUTHORIZED",
    retry: "never",
    remedy: `Compare the credentials in use with the secret that has the name of the cluster: ${getObjects(placeholder("secret <rec> -o yaml"))}.`,
    forPeople: `The login of the Secret named as the cluster is refused: ${getObjects(placeholder("rec <rec> -o yaml"))} shows in its findings whether its password is being changed.`,
  },
  notFound: {
    code: "MANAGEMENT_NOT_FOUND",
    retry: "never",
    remedy: "List what exists with `GET /v1/bdbs` or `GET /v1/nodes`.",
    forPeople: "List what exists: storectl databases, storectl nodes, storectl modules list.",
  },
  conflict: {
    code: "MANAGEMENT_CONFLICT",
    retry: "backoff",
    remedy: "Wait until the running change ends (`GET /v1/actions`), then try again.",
    forPeople: "Wait until the running change ends (storectl databases shows it), then give the same command again.",
  },
  refused: {
    code: "MANAGEMENT_REFUSED",
    retry: "never",
    remedy: "Correct what the description of the error names.",
  },
  failed: {
    code: "MANAGEMENT_FAILED",
    retry: "backoff",
    remedy: `Read the log of the node that answered: ${nodeLog()}.`,
  },
  licenseMalformed: {
    code: "MANAGEMENT_LICENSE_MALFORMED",
    retry: "never",
    remedy:
      "Give the whole text of the licence, from its first line to its last; `storectl license show FILE` reads one.",
  },
  licenseUntrusted: {
    code: "MANAGEMENT_LICENSE_UNTRUSTED",
    retry: "never",
    remedy:
      "Put the public key of the issuer of the licence into the ConfigMap store-enterprise-license-authorities of the cluster's namespace.",
  },
  licenseKey: {
    code: "MANAGEMENT_LICENSE_KEY",
    retry: "never",
    remedy: "Use the keys that `storectl license authority` makes (Ed25519, PEM).",
  },
} as const satisfies Record<string, FaultSpec>;
