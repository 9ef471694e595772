import {
  acceptedLogins,
  parseClusterAccess,
  type ClusterAccess,
  type Login,
} from "../../../core/api/cluster-access.ts";
import { ACCESS_KEY } from "../../../core/api/names.ts";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { AgentConfig } from "../runtime/config.ts";
import { openMountedSecret } from "../runtime/mounted-secret.ts";

/** The logins of the cluster to its management API, as the mounted Secrets of this node say them now. */
export interface NodeAccess {
  /** What this node says to others. */
  readonly own: () => Login;
  /** What it lets in. */
  readonly accepted: () => readonly Login[];
  /** The revision that the operator has written; 0 before the first. */
  readonly revision: () => number;
  /** When the current login replaced another one, as an ISO instant; undefined while it is the first. */
  readonly replacedAt: () => string | undefined;
  /** Reads the Secrets again and again until `signal` aborts. */
  follow(signal: AbortSignal): Promise<void>;
}

/** AGENT_BAD_SECRET_FILE when username or password is missing. */
export async function openNodeAccess(
  { credentialsDir, tlsDir }: Pick<AgentConfig, "credentialsDir" | "tlsDir">,
  deps: { readonly clock: Clock; readonly log: Log },
): Promise<NodeAccess> {
  const credentials = await openMountedSecret(credentialsDir, ["username", "password"], {
    ...deps,
    check: () => undefined, // any text will do
  });
  const written = await openMountedSecret(tlsDir, [ACCESS_KEY], {
    ...deps,
    check: () => undefined, // what cannot be read counts as nothing
    optional: [ACCESS_KEY], // an operator of a release before 0.4.0 writes none
  });
  const inSecret = (): Login => {
    const { username, password } = credentials.current();
    return { username: username.trim(), password: password.trim() };
  };
  let parsed: { readonly text: string; readonly access: ClusterAccess | undefined } | undefined;
  const access = (): ClusterAccess | undefined => {
    const text = written.current()[ACCESS_KEY];
    // asked for by each request and each pass over a database
    if (parsed?.text !== text) parsed = { text, access: parseClusterAccess(text) };
    return parsed.access;
  };
  return {
    own: () => access()?.current ?? inSecret(),
    accepted: () => {
      const known = access();
      return [inSecret(), ...(known === undefined ? [] : acceptedLogins(known))];
    },
    revision: () => access()?.revision ?? 0,
    replacedAt: () => access()?.since,
    follow: async (signal) => {
      await Promise.all([credentials, written].map((secret) => secret.follow(() => undefined, signal)));
    },
  };
}
