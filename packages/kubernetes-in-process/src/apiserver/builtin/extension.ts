import { definitionStrategy } from "../crd/strategy.ts";
import type { Resource } from "../resources/resource.ts";
import { webhookStrategy } from "../strategy/webhook.ts";
import * as policyTable from "../table/policy.ts";
import { builtinResource } from "./builtin-resource.ts";

/** The resources that extend the API server: webhooks and definitions. */
export const extensionResources: readonly Resource[] = [
  builtinResource(
    "admissionregistration.k8s.io",
    "v1",
    "ValidatingWebhookConfiguration",
    "validatingwebhookconfigurations",
    {
      namespaced: false,
      categories: ["api-extensions"],
      counted: true,
      columns: policyTable.webhookColumns,
      strategy: webhookStrategy,
    },
  ),
  builtinResource("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", {
    shortNames: ["crd", "crds"],
    namespaced: false,
    categories: ["api-extensions"],
    subresources: ["status"],
    counted: true,
    columns: policyTable.definitionColumns,
    strategy: definitionStrategy,
  }),
];
