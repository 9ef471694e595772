import assert from "node:assert/strict";
import { test } from "node:test";
import { PlayedSession } from "../../../../test/kit/engines/played-session.ts";
import type { PinnedParts } from "./pinned-parts.ts";
import { PinnedRoute } from "./pinned-route.ts";

const PARTS = { endpoint: { table: undefined } } as unknown as PinnedParts; // these are all that are used

test("a client is bound to the slot of its transaction until that is over, also where it keeps its connection", async () => {
  await using played = await PlayedSession.start({ isWatching: false });
  const route = new PinnedRoute(PARTS);
  route.slot = 5;
  assert.equal(route.slot, undefined, "it has no connection of its own");
  route.current = played.pinned;
  assert.equal(route.slot, undefined, "no transaction is open");
  played.send("MULTI");
  assert.equal(route.slot, 5);
  played.send("EXEC");
  assert.equal(route.slot, undefined, "what follows is not of it, before it is answered as well");
});

test("so it is to the slot of what it watches", async () => {
  await using played = await PlayedSession.start({ isWatching: false });
  const route = new PinnedRoute(PARTS);
  route.slot = 5;
  route.current = played.pinned;
  played.send("WATCH", "k");
  assert.equal(route.slot, 5, "it counts from when it was sent");
});
