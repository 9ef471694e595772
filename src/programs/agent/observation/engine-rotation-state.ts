import { everyShard } from "../../../core/api/every-shard.ts";
import type { EngineAccess } from "../../../core/api/engine-login.ts";
import type { DatabaseRecord, InstanceRecord } from "../../../core/api/records.ts";
import { Fault } from "#kit/base/fault";
import { rotationDue } from "../../../core/planner/database/engine-rotation.ts";
import type { DatabaseFacts } from "../../../core/planner/database/facts.ts";
import type { ProxyCommand } from "../../../ports/management/proxy-control.ts";
import { callEngine } from "../../../ports/resp/engine-client.ts";
import type { NodeAccess } from "../credentials/node-access.ts";
import { engineAddress } from "../members/addresses.ts";
import type { EngineLoginContext } from "./engine-login-state.ts";

/** What it takes to find out how far another password at engines is. */
export interface EngineRotationContext extends EngineLoginContext {
  readonly access: Pick<NodeAccess, "replacedAt">;
  /** Asks every proxy that may acknowledge something; the nodes that have not confirmed. */
  readonly confirm: (command: ProxyCommand) => Promise<readonly number[]>;
}

const ANSWER_MS = 1_000;

/**
 * The act that is due for the cluster's password at the engines of a database. The next password is used when each engine accepts it; the former
 * one ends when each engine gives the new one to its primary, and each proxy logs in with it.
 */
export async function gatherEngineRotation(
  context: EngineRotationContext,
  record: DatabaseRecord,
): Promise<DatabaseFacts["rotation"]> {
  if (record.status === "delete-pending") return undefined;
  const due = rotationDue(record, context.access.replacedAt());
  if (due === undefined || due.act === "offer") return due && { ...due, behind: [] };
  const { internal, besides } = (await context.passwords.of(record)).access;
  const engines = await enginesBehind(context, record, {
    internal: due.act === "use" ? besides : internal,
    isUsed: due.act === "end",
  });
  if (engines.length > 0 || due.act === "use") return { ...due, behind: engines };
  const step = record.passwords?.rotation?.step ?? 0;
  const proxies = await context.confirm({ op: "logins", bdb: record.uid, step });
  return { ...due, behind: proxies.map((node) => `the proxy of node ${node}`) };
}

/** The login that engines shall know; `isUsed`: and shall give to their primary. */
interface NewLogin {
  /** Undefined when it was removed by hand: there is nothing to wait for. */
  readonly internal: string | undefined;
  readonly isUsed: boolean;
}

async function enginesBehind(
  context: EngineRotationContext,
  record: DatabaseRecord,
  { internal, isUsed }: NewLogin,
): Promise<readonly string[]> {
  if (internal === undefined) return [];
  const instances = everyShard(record).flatMap((shard) => shard.instances);
  const given = await Promise.all(instances.map((one) => givenToPrimary(context, one, { internal, clients: [] })));
  const isBehind = (password: string | undefined): boolean =>
    password === undefined || (isUsed && password !== internal);
  return instances.filter((_, index) => isBehind(given[index])).map(({ node }) => `the engine on node ${node}`);
}

/** What the engine says to a primary; undefined when it refuses the login, or does not answer. */
async function givenToPrimary(
  context: EngineRotationContext,
  instance: InstanceRecord,
  access: EngineAccess,
): Promise<string | undefined> {
  const address = engineAddress(context, instance, access);
  if (address === undefined) return undefined;
  try {
    const reply = await callEngine({ ...address, timeoutMs: ANSWER_MS }, "CONFIG", "GET", "masterauth");
    return Array.isArray(reply) ? String(reply[1]) : undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return undefined;
  }
}
