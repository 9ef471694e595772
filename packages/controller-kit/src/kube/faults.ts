import type { FaultSpec } from "../base/fault.ts";
import { askReady, deleteObjects, listKinds, listPermissions, viewKubeconfig } from "../base/kubectl.ts";
import { placeholder } from "../base/shell-word.ts";

/** What the Kubernetes API or the way to it can answer; `details.status` is the server's Status where it sent one. */
export const faults = {
  notFound: {
    code: "KUBE_NOT_FOUND",
    retry: "backoff",
    remedy: `Check the name and namespace, and that the CRD is installed: ${listKinds({ wide: false })}.`,
  },
  conflict: {
    code: "KUBE_CONFLICT",
    retry: "backoff",
    remedy: "Read the object again and repeat the change on what is stored now.",
  },
  alreadyExists: {
    code: "KUBE_ALREADY_EXISTS",
    retry: "backoff",
    remedy: `Use the existing object, or delete it: ${deleteObjects(placeholder("<kind>"), [placeholder("<name>")])}.`,
  },
  invalid: {
    code: "KUBE_INVALID",
    retry: "never",
    remedy: "Correct the field that the message names.",
  },
  forbidden: {
    code: "KUBE_FORBIDDEN",
    retry: "backoff",
    remedy: `Apply the Role and RoleBinding of the bundle. ${listPermissions()} shows what is allowed.`,
    forPeople: `When you lack a right: ask who administers the namespace for a ready Role (docs/permissions.md, People). ${listPermissions()} shows what you may do. Else correct what the message names.`,
  },
  unauthorized: {
    code: "KUBE_UNAUTHORIZED",
    retry: "backoff",
    remedy: "Renew the token or client certificate in the kubeconfig.",
    forPeople: `Log in to Kubernetes again, or renew the token or client certificate in your kubeconfig: ${viewKubeconfig()} --minify.`,
  },
  gone: {
    code: "KUBE_GONE",
    retry: "backoff",
    remedy: "List again and watch from the version of that list.",
  },
  unavailable: {
    code: "KUBE_UNAVAILABLE",
    retry: "backoff",
    remedy: `Check that the API server answers: ${askReady()}.`,
  },
  noConfig: {
    code: "KUBE_NO_CONFIG",
    retry: "never",
    remedy: "Set KUBECONFIG to a kubeconfig file, or run inside a pod that has a service account.",
    forPeople: "Give --kubeconfig <file>, set KUBECONFIG to it, or put it at ~/.kube/config.",
  },
  badConfig: {
    code: "KUBE_BAD_CONFIG",
    retry: "never",
    remedy: `Correct the kubeconfig. ${viewKubeconfig()} shows how kubectl reads it.`,
  },
} as const satisfies Record<string, FaultSpec>;
