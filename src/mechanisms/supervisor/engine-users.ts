import { createHash } from "node:crypto";
import { DEFAULT_USER, ENGINE_USER, ownPasswords, replicaLogin, SITE_USER } from "../../core/api/engine-login.ts";
import type { EngineAccess } from "../../core/api/engine-login.ts";
import { SITE_WRITES } from "../../core/api/site-writes.ts";
import type { Directives } from "../../core/api/settings/setting.ts";
import type { WantedInstance } from "./wanted-instance.ts";

/** Directives that follow whom it lets in while the engine runs. */
export function accessSettings(access: EngineAccess): Directives {
  const { user, password } = replicaLogin(access);
  return {
    "protected-mode": isOpen(access) ? "no" : "yes",
    masteruser: user === DEFAULT_USER ? "" : user,
    masterauth: password,
  };
}

/**
 * Each user with its rules: passwords as hashes, or none at all. The default user keeps its rights while it is off: what an older
 * node has opened goes on until it ends.
 */
export function userRules({
  access,
  isSite,
}: Pick<WantedInstance, "access" | "isSite">): readonly (readonly string[])[] {
  const { clients } = access;
  const own = ownPasswords(access).map(hashOf);
  const rights = [[ENGINE_USER, RIGHTS] as const, ...(isSite ? [[SITE_USER, SITE_RIGHTS] as const] : [])];
  const users = own.length === 0 ? [] : rights.map(([user, may]) => [user, "on", ...may, ...own]);
  const passwords = isOpen(access) ? ["nopass"] : clients.map(hashOf);
  return [[DEFAULT_USER, clients.length === 0 ? "off" : "on", ...RIGHTS, ...passwords], ...users];
}

function hashOf(password: string): string {
  return `#${createHash("sha256").update(password).digest("hex")}`;
}

/** An empty password lets everybody in. */
function isOpen({ clients }: EngineAccess): boolean {
  return clients.includes("");
}

/** All but what a client's script could use to reach other servers, or to harm the engine: endpoints cannot see inside scripts. */
const RIGHTS = ["~*", "&*", "+@all", "-migrate", "-pfdebug", "-pfselftest", "-restore-asking"];

/** The rights at a site: of all writes only those that links carry; data in other numbered databases is the link's own. */
const SITE_RIGHTS = [...RIGHTS, "-@write", "-select", ...SITE_WRITES.map((name) => `+${name.toLowerCase()}`)];
