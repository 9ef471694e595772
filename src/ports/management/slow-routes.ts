import type { RouteName } from "./routes.ts";

/** How long an object store may say nothing to what asks it a question for somebody who waits, in milliseconds: three times of it are less than a slow route has. */
export const STORE_SILENCE_MS = 15_000;

/** Routes that ask an object store before they answer, and how long a node may take for that, in milliseconds. */
const SLOW_ROUTES: ReadonlyMap<RouteName, number> = new Map<RouteName, number>([
  ["inspectBackup", 55_000],
  ["removeBackup", 55_000],
]);
/** For the way through a node that passes the request on. */
const WAY_MS = 5_000;

/** How long a node waits for the answer of another one that it passes the request on to; undefined: as for any request. */
export function passedOnWithinMs(route: RouteName): number | undefined {
  return SLOW_ROUTES.get(route);
}

/** How long whoever asks waits, who knows not which node does the work; undefined: as for any request. */
export function answeredWithin(route: RouteName): { readonly withinMs?: number } {
  const ms = SLOW_ROUTES.get(route);
  return ms === undefined ? {} : { withinMs: ms + WAY_MS };
}
