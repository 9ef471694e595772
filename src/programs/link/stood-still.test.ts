import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startGreetedSite } from "../../../test/kit/links/greeted-site.ts";
import { until } from "#kit/testing/until";
import { NOTHING } from "../../core/merge/operations/version-vector.ts";
import { encodeStatement } from "./transport/messages.ts";

/** Longer than a link waits for a word of another one. */
const STOOD_STILL_MS = 7_000;
const PATIENCE = { withinMs: 30_000 };

test("a link that stood still does not take its own silence for that of the other site, one that receives nothing ends", async () => {
  await using site = await startGreetedSite();
  const { connection } = await site.greeted();
  const hasEnded = (): boolean => site.link.lines.some((line) => line.includes("has said nothing for 5 s"));
  process.kill(site.link.pid, "SIGSTOP");
  await sleep(STOOD_STILL_MS);
  await connection.send(
    encodeStatement({ received: NOTHING, site: { sites: [1, 2, 3], received: NOTHING, forgotten: NOTHING } }),
  );
  process.kill(site.link.pid, "SIGCONT");
  // it says something each second: two of its looks have passed
  for (let words = 0; words < 3;) if ((await connection.frames.next()).value?.kind === "statement") words += 1;
  assert.equal(hasEnded(), false);
  await until("nothing has come for some time", hasEnded, PATIENCE);
  connection.destroy();
});
