import { OLD_WEBHOOK_CONFIGURATION } from "../../api/names.ts";
import { restoringOperations, restoringPatch } from "../../releases/permissions/restore.ts";
import { newerRelease } from "../view/target.ts";
import type { RecoveryAct } from "./recovery.ts";
import type { Remedies, RemedyFacts } from "./remedy.ts";

/** What is installed around the cluster: permissions, definitions, operator, webhook. Nothing else can be written without them. */
export const INSTALLED_REMEDIES = {
  PermissionsMissing: permissions,
  ClusterPermissionsMissing: permissions,
  DefinitionWrong: ({ input: { view } }) => ({
    acts: [{ kind: "apply-bundle", release: view.release.operator, kinds: ["CustomResourceDefinition"] }],
  }),
  OperatorDowngraded: ({ input: { view } }) => {
    const newer = newerRelease(view);
    return newer && { acts: [{ kind: "apply-bundle", release: newer.operator, kinds: [] }] };
  },
  WebhookStale: webhook,
} satisfies Remedies;

/** A few rules are added; a Role that lacks much, or whose binding is gone, is applied as a whole. */
function permissions({ input: { view, environment } }: RemedyFacts) {
  const lacking = environment.permissions?.read === true ? environment.permissions.value : [];
  const whole: RecoveryAct = { kind: "apply-bundle", release: view.release.operator, kinds: ["Role", "RoleBinding"] };
  const acts = [...Map.groupBy(lacking, ({ role }) => role).values()].flatMap((of): RecoveryAct[] => {
    const [first] = of;
    if (first === undefined) return [];
    const { role, namespace, who } = first;
    if (restoringPatch(of) !== undefined)
      return [{ kind: "patch-role", role, namespace, operations: restoringOperations(of) }];
    return who === "operator" ? [whole] : [];
  });
  return { acts, otherwise: "you need these permissions yourself: Kubernetes lets no account grant more than it has" };
}

/** §4.3 rule 4. */
function webhook({ input: { environment } }: RemedyFacts) {
  if (environment.webhook?.read !== true) return undefined;
  const { configurations, certificate } = environment.webhook.value;
  if (configurations.some(({ name }) => name === OLD_WEBHOOK_CONFIGURATION))
    return { acts: [{ kind: "delete-webhook" as const, name: OLD_WEBHOOK_CONFIGURATION }] };
  if (certificate === undefined) return { acts: [{ kind: "restart-operator" as const }] };
  const stale = configurations.filter(({ caBundle }) => !caBundle.includes(certificate.trim()));
  return { acts: stale.map(({ name }) => ({ kind: "renew-webhook" as const, name })) };
}
