import { clusterNameFor } from "../../../core/api/database-home.ts";
import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import { newestBackup } from "../../../core/backup/freshness.ts";
import type { Ref } from "#kit/kube/kube";
import { refOf } from "#kit/kube/ref";
import { isSame } from "#kit/kube/same";
import { Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { authorityDigest } from "../objects/authority.ts";
import type { Unready } from "../context/cluster-context.ts";
import { SCHEDULE_FINDINGS } from "./asked-schedule.ts";
import type { Redb } from "./cluster.ts";
import type { DatabaseEvaluation } from "./evaluation.ts";
import { databaseEvents } from "./events.ts";
import { secretNameOf } from "./secret-verdict.ts";
import { setAsideCopies } from "./set-aside.ts";
import { databaseStatusOf } from "./status.ts";
import type { DatabaseDeps } from "./deps.ts";
import type { BdbRecord } from "../../../ports/management/records.ts";
import { hasService } from "./published-address.ts";

/** Reports why nothing can be decided. */
export async function reportUnready(
  deps: DatabaseDeps,
  redb: Redb,
  unready: Unready,
  ofSchedule?: DatabaseEvaluation["ofSchedule"],
): Promise<DatabaseStatus> {
  const cluster = clusterNameFor(redb, []) ?? redb.status?.cluster ?? "";
  return reportDatabase(deps, redb, cluster, { polled: { unreachable: unready.evidence }, unready, ofSchedule });
}

/** Emits events for what is new, and writes the status when it differs; the answer is the status that holds then. */
export async function reportDatabase(
  { kube, clock, events, cache, findings }: DatabaseDeps,
  redb: Redb,
  cluster: string,
  evaluated: DatabaseEvaluation & Pick<DatabaseStatus, "passwordFrom">,
): Promise<DatabaseStatus> {
  const before = redb.status ?? {};
  const { polled, bdb, suspension, decision, unready, failure } = evaluated;
  const status = databaseStatusOf(
    {
      generation: redb.metadata.generation ?? 0,
      before,
      cluster,
      secretName: secretNameOf(redb),
      passwordFrom: evaluated.passwordFrom ?? before.passwordFrom,
      authorityDigest:
        evaluated.authority === undefined ? before.authorityDigest : authorityDigest(evaluated.authority),
      bdb,
      hasService: hasService(cache.services, refOf(redb), cluster),
      newestBackup: bdb?.recovery?.needs_consent === true ? backupFor(cache, refOf(redb)) : undefined,
      ...answerAbout(bdb, polled),
      suspension,
      decision,
      unready,
      failure,
      ofSchedule: evaluated.ofSchedule ?? (before.findings ?? []).filter(({ id }) => SCHEDULE_FINDINGS.includes(id)),
    },
    clock.now(),
  );
  if (!isSame(before, status)) {
    const write = () => kube.update(Databases, { ...redb, status }, { subresource: "status" });
    cache.databases.learn(await events.recordAhead(redb, databaseEvents(before, status), write));
  }
  findings.report("database", refOf(redb), status.findings ?? [], before.findings ?? []);
  return status;
}

function backupFor({ backups }: DatabaseDeps["cache"], { name, namespace }: Ref): ReturnType<typeof newestBackup> {
  return newestBackup(
    backups.list().filter(({ metadata }) => metadata.namespace === namespace),
    name,
  );
}

/** What the cluster has answered about a database. */
function answerAbout(bdb: BdbRecord | undefined, polled: DatabaseEvaluation["polled"]) {
  if ("unreachable" in polled) return { isPolled: false, shards: [], actions: [] };
  const { shards, actions, nodes } = polled;
  return { isPolled: true, shards, actions, copies: bdb === undefined ? [] : setAsideCopies(nodes, bdb.uid) };
}
