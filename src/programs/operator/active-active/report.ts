import { refOf } from "#kit/kube/ref";
import { isSame } from "#kit/kube/same";
import { ActiveActiveDatabases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { SiteState } from "../../../mechanisms/observe/sites/sites.ts";
import { lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { isPause } from "../../../core/planner/findings/finding.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { SITE_MS } from "../remote-cluster/controller.ts";
import { activeActiveEvents } from "./events.ts";
import { observeLink, replicationAt } from "./replication.ts";
import { activeActiveStatusOf, type ActiveActiveReport } from "./status.ts";
import type { ActiveActiveDeps, Pass } from "./deps.ts";

/** Reports why nothing can be done, with what is seen of the replication all the same. */
export async function reportHindrance(
  deps: ActiveActiveDeps,
  { reaadb, self, context }: Pick<Pass, "reaadb" | "self" | "context">,
  hindrance: Finding,
): Promise<Outcome> {
  if (reaadb !== undefined) {
    const client = context?.connection?.client;
    const site = { self: self?.metadata.name, nodes: undefined, record: undefined };
    const link = client && (await observeLink(client, reaadb.status?.guid));
    const replication = client && replicationAt(reaadb, { link, ...site });
    const found = deps.cache.databases.get({ name: reaadb.metadata.name, namespace: reaadb.metadata.namespace ?? "" });
    await reportActiveActive(deps, {
      reaadb,
      database: found,
      polled: NO_SITES,
      decision: undefined,
      hindrance,
      replication,
    });
  }
  return lookAgain(SITE_MS);
}

const NO_SITES: ReadonlyMap<string, SiteState> = new Map();

/** Emits events for what is new, and writes the status when it differs. */
export async function reportActiveActive(deps: ActiveActiveDeps, reported: ActiveActiveReport): Promise<void> {
  const { kube, clock, events, cache } = deps;
  const { reaadb, decision, hindrance } = reported;
  const hindering = hindrance === undefined || isPause(hindrance) ? [] : [hindrance];
  const findings = [...(decision?.findings ?? []), ...hindering];
  if (decision !== undefined || findings.length > 0) deps.findings.report("activeActive", refOf(reaadb), findings);
  const before = reaadb.status ?? {};
  const status = activeActiveStatusOf(reported, clock.now());
  if (isSame(before, status)) return;
  const current = cache.activeActives.get({
    name: reaadb.metadata.name,
    namespace: reaadb.metadata.namespace ?? "default",
  });
  if (current === undefined) return; // it went meanwhile
  const write = () => kube.update(ActiveActiveDatabases, { ...reaadb, status }, { subresource: "status" });
  cache.activeActives.learn(await events.recordAhead(reaadb, activeActiveEvents(before, status), write));
}
