import type { DatabaseRecord } from "../../../core/api/records.ts";
import { Fault } from "../../../core/base/fault.ts";
import { ENGINE_USER, type EngineLogin } from "../../../core/api/engine-login.ts";
import type { DatabaseFacts } from "../../../core/planner/database/facts.ts";
import { connectEngine } from "../../../ports/resp/engine-client.ts";
import type { DatabasePasswords } from "../credentials/database-passwords.ts";
import { nodeAddress, type AddressContext } from "../members/addresses.ts";
import type { Members } from "../members/members.ts";

/** What it takes to find out who may log in to engines. */
export interface EngineLoginContext extends AddressContext {
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
  return (await isKnown(context, record, { user: ENGINE_USER, password: internal })) ? "closable" : "shared";
}

/** Each node logs in as the user of the cluster, and each engine knows it. A node that is away may come back as it was. */
async function isKnown(context: EngineLoginContext, record: DatabaseRecord, login: EngineLogin): Promise<boolean> {
  if (!context.members.list().every(({ report }) => report.capabilities.includes("engine-user"))) return false;
  const instances = record.shards.flatMap((shard) => shard.instances);
  const known = instances.map(({ node, port }) => letsIn({ host: nodeAddress(context, node) ?? "", port }, login));
  return (await Promise.all(known)).every(Boolean);
}

async function letsIn(address: { readonly host: string; readonly port: number }, login: EngineLogin): Promise<boolean> {
  if (address.host === "") return false;
  try {
    (await connectEngine({ ...address, logins: [login], timeoutMs: ANSWER_MS })).close();
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return false; // it refuses, or does not run
  }
}
