import type { EnginePlace } from "../../../ports/management/proxy-control.ts";
import { ENDPOINT_CONNECTION } from "../../../ports/resp/connection-names.ts";
import { engineCodeOf, type EngineClient } from "../../../ports/resp/engine-client.ts";
import { closeNamed, infoOf, promote, resumeWrites, roleOf, type EngineControl, type RoleView } from "./engines.ts";

/** The name of the connection over which a leader fences a primary that it moves. */
export const SWITCHOVER = "store-switchover";

/** An address at which nothing listens. */
const NOWHERE = { host: "127.0.0.1", port: 1 } as const;

/**
 * Lets a primary keep its data and refuse reads and writes, without an end, as a replica of nothing; resolves with what it has written, in bytes of its
 * stream. Reads too: others write elsewhere soon, and a proxy that has missed the hold, or was started during it, would pass on what is old by then.
 */
export async function fencePrimary({ client }: Pick<EngineControl, "client">): Promise<number> {
  const fenced = [setOldReads(client, "no"), client.call("REPLICAOF", NOWHERE.host, NOWHERE.port)];
  // an engine answers in order, so that all commands take one way there and back
  const [info] = await Promise.all([infoOf(client, "replication"), ...fenced]);
  return Number(info.get("master_repl_offset") ?? -1);
}

/** The same, and the requests that a pause of its writes has kept are refused at once. */
export async function retirePrimary(engine: EngineControl): Promise<number> {
  const offset = await fencePrimary(engine);
  await resumeWrites(engine);
  return offset;
}

/** Nothing but a fence has made it a replica. */
export function isFenced({ role, link }: Pick<RoleView, "role" | "link">): boolean {
  return role === "replica" && link?.host === NOWHERE.host && link.port === NOWHERE.port;
}

/** Lets a primary serve again that was fenced or paused. One that follows another engine was demoted by others, for a reason, and stays a replica. */
export async function restorePrimary(engine: EngineControl): Promise<void> {
  await setOldReads(engine.client, "yes");
  if (isFenced(await roleOf(engine))) await promote(engine);
  await resumeWrites(engine);
}

/**
 * Makes it a replica of `primary` and lifts the pause of its clients, which then get READONLY. A replica answers reads, later than its primary: so no
 * connection of an endpoint outlives the time in which it refused them, and an endpoint uses none that is made to a replica.
 */
export async function attach(engine: EngineControl, primary: EnginePlace): Promise<void> {
  const { client } = engine;
  if ((await roleOf(engine)).role === "primary") await fencePrimary(engine);
  await closeNamed(engine, ENDPOINT_CONNECTION);
  await setLink(client, primary.tls === true);
  await client.call("REPLICAOF", primary.host, primary.port);
  await setOldReads(client, "yes");
  await resumeWrites(engine);
}

/** Sets whether the engine answers reads as a replica without a link to its primary. */
async function setOldReads(client: EngineClient, mode: "yes" | "no"): Promise<void> {
  await client.call("CONFIG", "SET", "replica-serve-stale-data", mode);
}

/** Sets whether the engine speaks TLS to its primary. An engine that is built without TLS refuses the setting, and speaks without. */
async function setLink(client: EngineClient, tls: boolean): Promise<void> {
  try {
    await client.call("CONFIG", "SET", "tls-replication", tls ? "yes" : "no");
  } catch (error) {
    if (tls || engineCodeOf(error) === undefined) throw error;
  }
}
