import type { RuleName } from "./rules.ts";

/** Rules that no test holds yet. A rule leaves this list with its first test, and none is ever added. */
export const OPEN: readonly RuleName[] = [
  "§1.5 the operator comes by Helm",
  "§2.1 the privileged constraint store-enterprise-scc-v2 is not needed",
  "§2.2 imagePullPolicy and repository of storeEnterpriseImageSpec reach the pods",
  "§4.1 helm upgrade handles operator and CRDs; distro.mode for the distribution",
  "§4.3.7 roles are reapplied in each watched namespace",
  "§4.3.10 pods run unprivileged, without extra permissions",
  "§9 unprivileged from 7.22.0-6 on",
];
