import { everyShard } from "../../../core/api/every-shard.ts";
import { clusterNames } from "../../../core/api/names.ts";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { AT_REST, lookAgain } from "#kit/reconcile/outcome";
import type { Outcome } from "#kit/reconcile/outcome";
import type { DatabasePasswords } from "../credentials/database-passwords.ts";
import { askAgent } from "../observation/agent-report.ts";
import type { AgentReportContext } from "../observation/agent-report.ts";
import { gatherNodes } from "../observation/node-facts.ts";
import type { NodeFactsContext } from "../observation/node-facts.ts";
import { withDeleted } from "../../../core/records/deleted.ts";
import type { Records } from "../records/records.ts";
import type { AgentConfig } from "../runtime/config.ts";

/** What the removal of a database works on. */
export type RemovalContext = NodeFactsContext &
  AgentReportContext & {
    readonly config: Pick<AgentConfig, "cluster">;
    readonly records: Pick<Records, "changeState" | "removeDatabase">;
    readonly passwords: Pick<DatabasePasswords, "remove">;
    readonly clock: Clock;
    readonly log: Log;
  };

const RECHECK_MS = 100;

/** Removes a database once no live node runs an engine of it; a node that is down removes its data when it comes back. */
export async function reconcileRemoval(context: RemovalContext, record: DatabaseRecord): Promise<Outcome> {
  const { config, records, passwords, clock, log } = context;
  const running = await nodesWithEngines(context, record);
  if (running.length > 0) return lookAgain(RECHECK_MS);
  // before the record is removed: later nothing else says that its data may be removed
  await records.changeState((state) => withDeleted(state, record, clock.now().toISOString()));
  await records.removeDatabase(record.uid);
  // last: a node that still has the record needs its password
  await passwords.remove(record.uid);
  const configmap = clusterNames.databaseRecord(config.cluster, record.uid);
  log.info("database removed", { bdb: record.uid, configmap });
  return AT_REST;
}

async function nodesWithEngines(context: RemovalContext, record: DatabaseRecord): Promise<readonly number[]> {
  const alive = (await gatherNodes(context)).filter((node) => node.alive).map(({ uid }) => uid);
  const instances = everyShard(record)
    .flatMap((shard) => shard.instances)
    .filter(({ node }) => alive.includes(node));
  const reports = await Promise.all(
    instances.map(async ({ node, id }) => ({
      node,
      report: await askAgent(context, node, { bdb: record.uid, instance: id }),
    })),
  );
  const busy = reports.filter(({ report }) => report.kind === "no-answer" || report.instance !== undefined);
  return busy.map(({ node }) => node);
}
