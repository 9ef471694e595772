import type { DatabaseRecord } from "../../../core/api/records.ts";
import { whyHeldForLong } from "../../../core/planner/database/table-hold.ts";
import { nameShard } from "../../../ports/management/shard-name.ts";
import { roleOf } from "./engines.ts";
import { sendToProxies } from "./proxies.ts";
import type { TableEngines } from "./table-engines.ts";
import type { TablePorts } from "./table-ports.ts";

/** All rounds together, in milliseconds. */
const WITHIN_MS = 500;

/**
 * Asks everything that a hold waits for something without effect, over the connections that the hold uses, until all answer quickly. Why clients would be held for
 * long, as a sentence, when they do not; undefined when they do.
 */
export async function rehearseTable(
  record: DatabaseRecord,
  insists: boolean,
  engines: TableEngines,
  ports: TablePorts,
): Promise<string | undefined> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    const why = whyHeldForLong(await askOnce(record, engines, ports), insists);
    if (why === undefined || performance.now() >= deadline) return why;
  }
}

/** Resolves with the milliseconds until all have answered. */
async function askOnce(record: DatabaseRecord, engines: TableEngines, ports: TablePorts): Promise<number> {
  const all = [...engines.sources, ...engines.targets].flatMap(({ primary, replicas }) => [primary, ...replicas]);
  const answers = await Promise.all([
    timeOf(Promise.all(all.map(roleOf))),
    timeOf(ports.askMover(record, { op: "status" })),
    ...record.shards.map(({ id }) =>
      timeOf(sendToProxies(ports.proxies, { op: "quiet", ...nameShard(record, id), withinMs: 0 })),
    ),
  ]);
  return Math.max(...answers);
}

async function timeOf(work: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work;
  return performance.now() - began;
}
