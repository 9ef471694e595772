import { isOnlyHeld } from "../upstream/only-route.ts";

/** The parts of a session that say whether it can take a request. */
export interface FreeParts {
  readonly endpoint: Parameters<typeof isOnlyHeld>[0];
  readonly turns: { readonly isWaiting: boolean };
  readonly shared: { readonly open: boolean };
  readonly output: { readonly congested: boolean };
}

/** Nothing keeps the next request from being taken, but for what its client is sent before it. */
export function isFree({ endpoint, turns, shared, output }: FreeParts): boolean {
  return !isOnlyHeld(endpoint) && !turns.isWaiting && shared.open && !output.congested;
}
