import assert from "node:assert/strict";
import { test } from "node:test";
import { startGreetedSite } from "../../../test/kit/links/greeted-site.ts";
import { encodeOperation } from "../../core/merge/operations/operation-codec.ts";
import { NOTHING } from "../../core/merge/operations/version-vector.ts";
import { ownOperations } from "./transport/compared-frames.ts";
import type { LinkConnection } from "./transport/connection.ts";
import { encodeFrame } from "./transport/frames.ts";

/** It begins to count at site 2. */
const increment = encodeOperation({
  dot: { origin: 2, seq: 1 },
  at: { wall: 1, count: 0, site: 2 },
  seen: NOTHING,
  effects: [{ kind: "add", type: "string", key: "sum", element: "", amount: 10n }],
});

test("what another site has passed on, and was not read, is not taken once a site has got the answer to its own operations", async () => {
  await using site = await startGreetedSite();
  const passing = await site.greeted({ origin: 3 });
  await untilStated(passing.connection);
  const asking = await site.greeted({ origin: 2, comparing: true, asksOwn: true });
  assert.deepEqual(await ownOperations(asking), []);
  asking.connection.destroy();
  await passing.connection.send(encodeFrame("operation", increment));
  await untilOver(passing.connection);
  assert.equal(await site.engine.call("GET", "sum"), null);
  // that one takes it up again
  const again = await site.greeted({ origin: 3 });
  await untilStated(again.connection);
  again.connection.destroy();
});

/** It is taken up: a greeting alone is none. */
async function untilStated({ frames }: LinkConnection): Promise<void> {
  while ((await frames.next()).value?.kind !== "statement");
}

async function untilOver({ frames }: LinkConnection): Promise<void> {
  try {
    while ((await frames.next()).done !== true);
  } catch {
    // it was cut
  }
}
