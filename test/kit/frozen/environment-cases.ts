import { OPERATOR_NAME } from "../../../src/core/api/names.ts";
import { operatorNeeds, operatorRules } from "../../../src/core/releases/permissions/roles.ts";
import { Roles, ValidatingWebhookConfigurations } from "#kit/kube/builtin";
import { createAuthority } from "#kit/pki/authority";
import { rulesWithout } from "../kubernetes/permission-scene.ts";
import type { FrozenCase } from "./frozen-case.ts";
import type { Lane } from "./lane.ts";
import { runRemedy } from "./remedy.ts";
import { installWebhook, letLookAtWebhooks } from "./webhook.ts";

/** Cases whose cause lies outside of the cluster: webhook, permissions, images, workers. */
export function environmentCases() {
  return {
    staleWebhook: {
      automatic: true,
      spoil: async (lane) => {
        await letLookAtWebhooks(lane);
        await installWebhook(lane, createAuthority({ commonName: "old", now: new Date(), days: 1 }).certificate);
      },
      state: "InvalidUpgrade",
      reason: "WebhookStale",
      evidence: /caBundle does not hold `cert` of secret admission-tls/,
      remedy: /kubectl patch ValidatingWebhookConfiguration store-enterprise-admission/,
      recoveries: { "the command of the remedy": runRemedy("WebhookStale") },
      after: async (lane) => {
        await lane.kube.delete(ValidatingWebhookConfigurations, { name: "store-enterprise-admission" });
        await lane.patch({ autoUpgradeStoreEnterprise: false });
      },
    },
    permissions: {
      spoil: takePermission,
      state: "InvalidUpgrade",
      reason: "PermissionsMissing",
      evidence: /may not patch statefulsets\.apps in namespace/,
      remedy: /kubectl patch role /,
      recoveries: { "the command of the remedy": runRemedy("PermissionsMissing") },
    },
    noImage: {
      spec: () => ({ storeEnterpriseImageSpec: { repository: "nowhere/nothing" } }),
      state: "Upgrade",
      reason: "PodNotRunning",
      evidence: /pod rec-2 does not run: .*ImagePull/,
      remedy: /correct the image spec, which the operator applies at once: kubectl edit rec rec/,
      recoveries: {
        "the CR": runRemedy("PodNotRunning", () => ({ naming: "kubectl edit", editing: "/repository: nowhere/d" })),
      },
      touched: 1,
    },
    unschedulable: {
      spec: (lane) => ({ nodeSelector: { [`disk-of-${lane.namespace}`]: "fast" } }),
      state: "Upgrade",
      reason: "PodNotRunning",
      evidence: /pod rec-2 does not run: Unschedulable: 0\/1 nodes are available/,
      remedy: /kubectl describe pod rec-2/,
      recoveries: {
        "the CR": runRemedy("PodNotRunning", () => ({ naming: "kubectl edit", editing: "/^ *disk-of-/d" })),
        "a label on a worker": async (lane) => {
          await lane.sh(`kubectl label node local disk-of-${lane.namespace}=fast`);
        },
      },
      touched: 1,
    },
  } satisfies Record<string, FrozenCase>;
}

/** The operator of the lane may not patch StatefulSets any more. */
async function takePermission(lane: Lane): Promise<void> {
  const need = operatorNeeds().find(({ resource, verb }) => resource === "statefulsets" && verb === "patch");
  if (need === undefined) throw new Error("the operator does not patch StatefulSets any more");
  const rules = rulesWithout(operatorRules("kubernetes"), need);
  const body = { rules: rules.map((rule) => ({ ...rule })) };
  await lane.kube.patch<object>(Roles, { name: OPERATOR_NAME, namespace: lane.namespace }, { type: "merge", body });
}
