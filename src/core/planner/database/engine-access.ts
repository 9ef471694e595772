import type { EngineAccess } from "../../api/engine-login.ts";
import type { PasswordSet } from "./passwords.ts";

/**
 * Whom the engines of a database let in. Nodes of releases before 0.4.0 log in with the passwords of clients: engines accept
 * those until the record says that they are closed. A password that is missing against the record is made again by the leader.
 */
export function engineAccess(set: PasswordSet, internal: string | undefined, closed: boolean): EngineAccess {
  if (internal !== undefined && closed) return { internal, clients: [] };
  const clients = [set.password, ...set.others.map(({ password }) => password)];
  return { ...(internal === undefined ? {} : { internal }), clients };
}
