/** The user as which nodes log in to engines, and replicas to their primaries. Clients cannot become it at an endpoint. */
export const ENGINE_USER = "store";

/**
 * The user as which endpoints pass on requests of clients at a site of an Active-Active database. It writes only what links carry, also
 * in scripts, and shares the password of `ENGINE_USER`.
 */
export const SITE_USER = "store-clients";

/** A user of an engine with its password; an empty password stands for none. Never logged, never in an argument. */
export interface EngineLogin {
  readonly user: string;
  readonly password: string;
}

/** Whom an engine lets in. Never logged, never in an argument. */
export interface EngineAccess {
  /** Password of `ENGINE_USER`; absent while the database has none, because a release before 0.4.0 made it. */
  readonly internal?: string;
  /** Another password of `ENGINE_USER`, while it changes: the next one, or the former one. */
  readonly besides?: string;
  /** Passwords of the default user, the current one first; none: that user is off. An empty one lets everybody in. */
  readonly clients: readonly string[];
}

/** What to try at an engine, in this order: an engine that an older node has started does not know the user of the cluster. */
export function engineLogins(access: EngineAccess): readonly EngineLogin[] {
  const own = ownPasswords(access).map((password) => ({ user: ENGINE_USER, password }));
  return [...own, ...access.clients.map((password) => ({ user: DEFAULT_USER, password }))];
}

/** How requests of clients log in at a site. An engine that was no site a moment ago does not know its user yet. */
export function siteLogins(access: EngineAccess): readonly EngineLogin[] {
  return [...ownPasswords(access).map((password) => ({ user: SITE_USER, password })), ...engineLogins(access)];
}

/** The passwords of the cluster, the one in use first. */
export function ownPasswords({ internal, besides }: EngineAccess): readonly string[] {
  return [internal, besides].filter((password) => password !== undefined);
}

/**
 * What a replica presents to its primary, which an older node may have started while engines accept clients. An engine that lets
 * everybody in refuses the default user with a password.
 */
export function replicaLogin({ internal = "", clients }: EngineAccess): EngineLogin {
  const [current] = clients;
  if (current === undefined) return { user: ENGINE_USER, password: internal };
  return { user: DEFAULT_USER, password: clients.includes("") ? "" : current };
}

/** The user that a connection has before it says who it is. */
export const DEFAULT_USER = "default";
