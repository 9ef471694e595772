import { everyShard } from "../../../core/api/every-shard.ts";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import { Fault } from "#kit/base/fault";
import type { DatabaseFacts } from "../../../core/planner/database/facts.ts";
import { connectEngine, type EngineAddress } from "../../../ports/resp/engine-client.ts";
import type { DatabasePasswords } from "../credentials/database-passwords.ts";
import { engineAddress, type EngineAddressContext } from "../members/addresses.ts";
import type { Members } from "../members/members.ts";

/** What it takes to find out who may log in to engines. */
export interface EngineLoginContext extends EngineAddressContext {
  readonly members: Pick<Members, "get" | "list">;
  readonly passwords: Pick<DatabasePasswords, "of">;
}

const ANSWER_MS = 1_000;

/** Who may log in to the engines of a database, and whether it is time to change that. */
export async function gatherEngineLogin(
  context: EngineLoginContext,
  record: DatabaseRecord,
): Promise<DatabaseFacts["engineLogin"]> {
  if (record.status === "delete-pending") return "cluster";
  const { internal } = (await context.passwords.of(record)).access;
  const { engines } = record.passwords ?? {};
  if (internal === undefined || engines === undefined) return "clients";
  if (engines === "closed") return "cluster";
  return (await isKnown(context, record, internal)) ? "closable" : "shared";
}

/** Each node logs in as the user of the cluster, and each engine knows it. A node that is away may come back as it was. */
async function isKnown(context: EngineLoginContext, record: DatabaseRecord, internal: string): Promise<boolean> {
  if (!context.members.list().every(({ report }) => report.capabilities.includes("engine-user"))) return false;
  const instances = everyShard(record).flatMap((shard) => shard.instances);
  const known = instances.map((instance) => letsIn(engineAddress(context, instance, { internal, clients: [] })));
  return (await Promise.all(known)).every(Boolean);
}

async function letsIn(address: EngineAddress | undefined): Promise<boolean> {
  if (address === undefined) return false;
  try {
    (await connectEngine({ ...address, timeoutMs: ANSWER_MS })).close();
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return false; // it refuses, or does not run
  }
}
