import { Fault } from "#kit/base/fault";
import { Events, ResourceQuotas } from "#kit/kube/builtin";
import { isOfQuota, type Quota } from "../../../core/planner/prerequisites/exceeded-quota.ts";
import { faults } from "../faults.ts";
import type { Look } from "../access/look.ts";
import { standingsIn } from "../backup/standing.ts";
import { lackOf } from "../access/rights.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import { answersFor, type WarningEvent } from "./answers.ts";
import { lastRefusal, withRefusal } from "./refused-pods.ts";
import { whyReport, type WhyReport } from "./report.ts";

/** What blocks a cluster that was observed and its databases, or of one kind or object. */
export async function whyOf(
  access: NamespaceAccess,
  look: Look,
  kind?: "rec" | "redb",
  name?: string,
): Promise<WhyReport> {
  const { rec, view } = look.observation;
  const databases = kind === "rec" ? [] : chosenDatabases(look, name);
  const events = await access.denied.unless(warningsOf(access), []);
  const backups = await standingsIn(access, access.denied, databases);
  const asked = {
    view,
    environment: look.environment,
    cluster:
      kind === "redb" ? undefined : { rec, environment: look.environment, lacksFacts: look.lack?.isEssential === true },
    databases,
    backups: backups ?? [],
    events,
  };
  const isByQuota = answersFor(asked).some((answer) =>
    isOfQuota(lastRefusal(answer, view.name, events)?.message ?? ""),
  );
  const quotas = isByQuota ? await access.denied.unless(quotasOf(access), undefined) : undefined;
  const denied = [...access.denied.list(), ...(look.environment.operator?.read === true ? [] : access.around.list())];
  const answers = answersFor({
    ...asked,
    ...(denied.length > 0 && { lack: await lackOf(access, denied, view.name) }),
  });
  return whyReport(
    look,
    databases,
    answers.map((answer) => withRefusal(answer, { view, events, quotas })),
  );
}

function chosenDatabases({ databases, observation }: Look, name: string | undefined): Look["databases"] {
  if (name === undefined) return databases;
  const found = databases.filter(({ metadata }) => metadata.name === name);
  if (found.length > 0) return found;
  const names = databases.map(({ metadata }) => metadata.name).join(", ");
  throw new Fault(
    faults.noDatabase,
    `${observation.view.name} has no StoreEnterpriseDatabase "${name}"; there are: ${names || "none"}`,
  );
}

async function quotasOf({ kube, namespace }: NamespaceAccess): Promise<readonly Quota[]> {
  const { items } = await kube.list(ResourceQuotas, { namespace });
  return items.map(({ metadata: { name }, spec, status }) => ({
    name,
    hard: spec?.hard ?? {},
    used: status?.used ?? {},
  }));
}

/** Warnings that the API still has, the newest first. */
async function warningsOf({ kube, namespace }: NamespaceAccess): Promise<readonly WarningEvent[]> {
  const { items } = await kube.list(Events, { namespace, fieldSelector: "type=Warning" });
  return items
    .map(({ involvedObject, reason = "", message = "", firstTimestamp, lastTimestamp, eventTime }) => ({
      kind: involvedObject.kind ?? "",
      name: involvedObject.name ?? "",
      reason,
      message,
      since: firstTimestamp ?? eventTime ?? "",
      last: lastTimestamp ?? eventTime ?? "",
    }))
    .toSorted((a, b) => b.last.localeCompare(a.last));
}
