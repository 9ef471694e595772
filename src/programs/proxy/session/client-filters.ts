import type { Upstream } from "../upstream/upstream.ts";

/** Which filters of CLIENT LIST and CLIENT KILL the engine of the database has. */
export interface ClientFilters {
  /** A list takes those of KILL in any order, and both take several numbers behind ID. */
  readonly areAlike: boolean;
  readonly hasMaxAge: boolean;
  readonly isUser: (name: string) => boolean;
}

/** All that any engine has, for a request that the proxy of another node has looked at. */
export const ANY_FILTERS: ClientFilters = { areAlike: true, hasMaxAge: true, isUser: () => true };

/** The filters for a request that names these users; without an engine that can be asked, no filter is refused. */
export async function filtersFor(
  upstream: Pick<Upstream, "server" | "hasUser"> | undefined,
  named: readonly string[],
): Promise<ClientFilters> {
  if (upstream === undefined) return ANY_FILTERS;
  try {
    const server = await upstream.server();
    const valkey = server.get("valkey_version");
    const known = await Promise.all(named.map(async (name) => ((await upstream.hasUser(name)) ? [name] : [])));
    const users = new Set(known.flat());
    return {
      areAlike: valkey !== undefined && isFrom(valkey, 8, 1),
      hasMaxAge: valkey !== undefined || isFrom(server.get("redis_version") ?? "", 7, 4),
      isUser: (name) => users.has(name),
    };
  } catch {
    return ANY_FILTERS; // it is gone, or runs a script
  }
}

function isFrom(version: string, major: number, minor: number): boolean {
  const [first = 0, second = 0] = version.split(".").map(Number);
  return first > major || (first === major && second >= minor);
}
