import type { PrimaryView } from "./primary-view.ts";

/** The ways to the primaries of a database, one for each of its shards, in the order of its record. */
export type Routes<Route> = readonly [Route, ...Route[]];

/**
 * The way to the primary of a database that has one shard. Whoever calls it does not know which key a request is about, so that nothing that
 * does serves a database of several shards: it throws there (test/only-route.test.ts counts the calls).
 */
export function onlyRoute<Route>({ routes }: { readonly routes: Routes<Route> }): Route {
  if (routes.length > 1) throw new Error(`which of ${routes.length} shards is meant?`);
  return routes[0];
}

/** The way to the shard at this place of the table; throws when there is none. */
export function routeTo<Route>({ routes }: { readonly routes: Routes<Route> }, shard: number): Route {
  const route = routes[shard];
  if (route === undefined) throw new Error(`the database has no shard at place ${shard}`);
  return route;
}

/** The place among the routes of now of the one that had this place before; undefined when it is not among them, and for no place. */
export function placeAfter<Route>(
  before: Routes<Route>,
  now: Routes<Route>,
  place: number | undefined,
): number | undefined {
  const route = place === undefined ? undefined : before[place];
  const found = route === undefined ? -1 : now.indexOf(route);
  return found === -1 ? undefined : found;
}

/** The way for what needs no key, and what each engine of the database answers alike: to a shard that serves now, if there is one. */
export function anyRoute<Route extends ServingView>({ routes }: { readonly routes: Routes<Route> }): Route {
  return routes.find(serves) ?? routes[0];
}

/** The place of that shard. */
export function anyShard<Route extends ServingView>(endpoint: { readonly routes: Routes<Route> }): number {
  return endpoint.routes.indexOf(anyRoute(endpoint));
}

/** The place of one whose primary is at this address; undefined when none that serves is. */
export function anyShardAt<Route extends ServingView>(
  { routes }: { readonly routes: Routes<Route> },
  host: string,
): number | undefined {
  const at = routes.findIndex((route) => route.upstream?.address.host === host && serves(route));
  return at < 0 ? undefined : at;
}

/** The ways to all shards that serve now; when none does, one of those that do not. */
export function servingRoutes<Route extends ServingView>({
  routes,
}: {
  readonly routes: Routes<Route>;
}): readonly Route[] {
  return routes.length === 1 || !routes.some(serves) ? [routes[0]] : routes.filter(serves);
}

function serves({ held, upstream }: ServingView): boolean {
  return !held && upstream?.lanes.reachable === true;
}

type ServingView = Pick<PrimaryView, "held" | "upstream">;

/** When clients were last held at any shard, or there was last no primary that could be reached, by `performance.now`. */
export function lastHeldUntil({ routes }: { readonly routes: Routes<HoldView> }): number {
  return routes.reduce((latest, { heldUntil }) => Math.max(latest, heldUntil), 0);
}

/** Whether the only shard is held. Where there are several, each request waits for its own shard. */
export function isOnlyHeld({ routes }: { readonly routes: Routes<HoldView> }): boolean {
  return routes.length === 1 && routes[0].held;
}

type HoldView = Pick<PrimaryView, "held" | "heldUntil">;
