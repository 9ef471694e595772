/** The ways to the primaries of a database, one for each of its shards, in the order of its record. */
export type Routes<Route> = readonly [Route, ...Route[]];

/**
 * The way to the primary of a database that has one shard. Whoever calls it does not know yet which key a request is about; an endpoint serves
 * no database of several shards while one calls it (test/only-route.test.ts counts them).
 */
export function onlyRoute<Route>({ routes }: { readonly routes: Routes<Route> }): Route {
  return routes[0];
}
