import {
  applyBundle,
  callOperator,
  deleteObjects,
  deleteWebhooks,
  mergeObject,
  restartDeployment,
  trustCertificateFirst,
} from "../../api/kubectl.ts";
import {
  ADMISSION_SECRET,
  API_VERSION,
  OLD_CONSTRAINT,
  OLD_WEBHOOK_CONFIGURATION,
  WEBHOOK_CONFIGURATION,
} from "../../api/names.ts";
import { knowLess } from "../../releases/catalogue/definitions.ts";
import { openingRemedy } from "./admission-route.ts";
import { block, type FindingOf, warn } from "../findings/finding.ts";
import { astrayText, rightCall, unansweredText } from "./webhook-entry.ts";
import { defineCheck } from "./check.ts";
import type { ClusterEnvironment, ConstraintFacts, WebhookFacts } from "./environment.ts";

/** What is stored has to be readable, and what is served has to be what the operator speaks. */
export const definitionsAreRight = defineCheck({
  id: "DefinitionWrong",
  asks: "the definitions serve what is stored and what the operator speaks",
  at: ["plan"],
  needs: ["definitions"],
  find({ view: { release: operator }, environment: { definitions } }) {
    if (definitions?.read !== true) return undefined;
    const wrong = definitions.value.flatMap(({ name, release, served, stored, keepsUnknownFields }) => {
      const lost = stored.filter((version) => !served.includes(version));
      const said = [
        ...(served.length > 0 && knowLess(release, operator.operator)
          ? [`is of ${release ?? "no marked release"}, older than operator ${operator.operator}`]
          : []),
        ...(served.includes(API_VERSION) ? [] : [`does not serve ${API_VERSION}`]),
        ...(lost.length === 0 ? [] : [`has objects stored as ${lost.join(", ")}, which it does not serve`]),
        ...(keepsUnknownFields ? ["keeps unknown fields, which a new one cannot take over"] : []),
      ];
      return said.length === 0 ? [] : [`${name} ${said.join(" and ")}`];
    });
    if (wrong.length === 0) return undefined;
    return block("DefinitionWrong", wrong.join("; "), applyBundle("--server-side", "its definitions"));
  },
});

/** §4.3 rule 4: with failurePolicy Fail a stale webhook stops every write, the operator's too. */
export const webhookIsCurrent = defineCheck({
  id: "WebhookStale",
  asks: "the admission webhook, if there is one, is current and answers",
  at: ["plan", "start"],
  needs: ["webhook"],
  find({ environment: { webhook, operator } }) {
    if (webhook?.read !== true || webhook.value.configurations.length === 0) return undefined;
    const { configurations, certificate } = webhook.value;
    const names = configurations.map(({ name }) => name);
    if (names.includes(OLD_WEBHOOK_CONFIGURATION)) {
      return block(
        "WebhookStale",
        `${OLD_WEBHOOK_CONFIGURATION} of old releases is still there${names.length > 1 ? `, beside ${WEBHOOK_CONFIGURATION}` : ""}`,
        deleteWebhooks(OLD_WEBHOOK_CONFIGURATION),
      );
    }
    if (certificate === undefined) {
      return block(
        "WebhookStale",
        `secret ${ADMISSION_SECRET} is not there`,
        restartDeployment("store-enterprise-operator"),
      );
    }
    const stale = configurations.filter(({ caBundle }) => !caBundle.includes(certificate.trim()));
    if (stale.length > 0) {
      return block(
        "WebhookStale",
        `${stale.map(({ name }) => name).join(", ")}: caBundle does not hold \`cert\` of secret admission-tls`,
        trustCertificateFirst(stale[0]?.name ?? WEBHOOK_CONFIGURATION, ADMISSION_SECRET),
      );
    }
    const unanswered = unansweredWebhook(webhook.value, operator);
    if (unanswered !== undefined || configurations.length === 1) return unanswered;
    return warn(
      "WebhookDoubled",
      `several webhooks: ${names.join(", ")}`,
      deleteWebhooks(names.find((name) => name !== WEBHOOK_CONFIGURATION) ?? ""),
    );
  },
});

/** The API server does not reach the operator; that stops nothing where no write is refused for it. */
function unansweredWebhook(
  { namespace, configurations, route }: WebhookFacts,
  operator: ClusterEnvironment["operator"],
): FindingOf<"WebhookStale"> | undefined {
  const isRefusing = configurations.some((one) => one.isRefusing);
  const stop = isRefusing ? block : warn;
  const astray = configurations.find(({ calls }) => calls !== rightCall(namespace));
  if (astray !== undefined) {
    const evidence = `${astrayText(astray, namespace)}: ${unansweredText(astray.isRefusing)}`;
    return stop("WebhookStale", evidence, callOperator(astray.name, astray.entry, namespace));
  }
  if (route.endpoints > 0) return undefined;
  return stop("WebhookStale", `${route.closed}: ${unansweredText(isRefusing)}`, openingRemedy(route, operator));
}

/** §4.3 rule 10: nodes are unprivileged by default, and need it no more. One that only other namespaces use is theirs. */
export const constraintIsGone = defineCheck({
  id: "ConstraintLeftOver",
  asks: "the security context constraint of old releases is gone",
  at: ["plan"],
  needs: ["constraint"],
  find({ view: { release }, environment: { constraint } }) {
    if (constraint?.read !== true || constraint.value === undefined || release.security === "privileged")
      return undefined;
    const { accounts, others, bindings } = constraint.value;
    const bound = [...accounts, ...bindings.map((name) => `RoleBinding ${name}`)];
    if (bound.length === 0 && others.length > 0) return undefined;
    const place = bound.length === 0 ? "is there" : `is bound to ${bound.join(" and ")}`;
    return warn(
      "ConstraintLeftOver",
      `${OLD_CONSTRAINT} ${place}, and nodes of ${release.operator} run without privileges`,
      `once the cluster is upgraded, unless extra capabilities are needed: ${unbind(constraint.value)}`,
    );
  },
});

/** The commands that unbind it here, and delete it unless another namespace uses it. */
function unbind({ accounts, others, bindings }: ConstraintFacts): string {
  return [
    ...(bindings.length === 0 ? [] : [deleteObjects("rolebinding", bindings)]),
    ...(others.length === 0 ? [deleteObjects("scc", [OLD_CONSTRAINT])] : []),
    ...(others.length > 0 && accounts.length > 0 ? [mergeObject("scc", OLD_CONSTRAINT, { users: others })] : []),
  ].join(" && ");
}
