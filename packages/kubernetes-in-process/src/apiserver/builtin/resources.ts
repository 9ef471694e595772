import type { Resource } from "../resources/resource.ts";
import { coreResources } from "./core.ts";
import { extensionResources } from "./extension.ts";
import { policyResources } from "./policy.ts";
import { workloadResources } from "./workload.ts";

/** The resources that are always there; the order is that of `kubectl api-resources`. */
export const builtinResources: readonly Resource[] = [
  ...coreResources,
  ...extensionResources,
  ...workloadResources,
  ...policyResources,
];
