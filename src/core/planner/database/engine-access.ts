import type { EngineAccess } from "../../api/engine-login.ts";
import type { EnginePasswords } from "./engine-rotation.ts";
import type { PasswordSet } from "./passwords.ts";

/**
 * Whom the engines of a database let in. Nodes of releases before 0.4.0 log in with the passwords of clients: engines accept
 * those until the record says that they are closed. A password that is missing against the record is made again by the leader.
 */
export function engineAccess(set: PasswordSet, own: EnginePasswords, closed: boolean): EngineAccess {
  const { internal, rotation } = own;
  if (internal === undefined) return { clients: ofClients(set) };
  const besides = rotation?.next ?? rotation?.former;
  return { internal, ...(besides === undefined ? {} : { besides }), clients: closed ? [] : ofClients(set) };
}

function ofClients({ password, others }: PasswordSet): readonly string[] {
  return [password, ...others.map((other) => other.password)];
}
