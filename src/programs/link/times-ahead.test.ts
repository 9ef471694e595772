import assert from "node:assert/strict";
import { test } from "node:test";
import { messageOf } from "#kit/base/fault";
import { until } from "#kit/testing/until";
import { startGreetedSite } from "../../../test/kit/links/greeted-site.ts";
import { encodeOperation, type CodedOperation } from "../../core/merge/operations/operation-codec.ts";
import { NOTHING, vectorOf, type VersionVector } from "../../core/merge/operations/version-vector.ts";
import { encodeSummary } from "../../core/merge/summary/summary.ts";
import { encodeFrame } from "./transport/frames.ts";

const HOUR_MS = 3_600_000;
const LAST = Number.MAX_SAFE_INTEGER;
const WITHIN = { withinMs: 60_000 };
const SAID = "Compare the clocks of both";

test("a site whose times are more than a day ahead is refused, at both ends with the reason, and counts nowhere", async () => {
  await using site = await startGreetedSite();
  await assert.rejects(site.greeted({ time: LAST }), (error) => messageOf(error).includes(SAID));
  await site.refuses(operationFrame({ wall: LAST, count: 0 }), SAID);
  assert.equal(await site.engine.call("GET", "theirs"), null);
  await site.refuses(summaryFrame({ wall: LAST, count: 0 }, NOTHING), SAID);
  await site.engine.call("SET", "own", "1");
  const { at } = await site.nextOwn(NOTHING);
  assert.ok(at.wall < Date.now() + HOUR_MS, `${at.wall} is a time of this site`);
});

test("a site that gets the last count that there is gives its own operations times that others can read", async () => {
  await using site = await startGreetedSite();
  const ahead = Date.now() + HOUR_MS;
  const { connection } = await site.greeted();
  await connection.send(operationFrame({ wall: ahead, count: LAST }));
  await until("it is taken", async () => String(await site.engine.call("GET", "theirs")) === "1", WITHIN);
  connection.destroy();
  await site.engine.call("SET", "own", "1");
  const { at } = await site.nextOwn(vectorOf([[2, 1]]));
  assert.ok(at.wall > ahead && at.count < 1_000, `${at.wall}:${at.count} is later, and begins a new count`);
});

test("a summary with operations of this site that it has never made is refused, and no number goes on from there", async () => {
  await using site = await startGreetedSite();
  const { connection, greeting } = await site.greeted();
  connection.destroy();
  const received = vectorOf([[greeting.origin, LAST]]);
  await site.refuses(
    summaryFrame({ wall: Date.now(), count: 0 }, received),
    "operations of this one which are not here",
  );
  await site.engine.call("SET", "own", "1");
  const { dot } = await site.nextOwn(NOTHING);
  assert.ok(dot.seq < 1_000, `it is the operation ${dot.seq}`);
});

type Time = Pick<CodedOperation["at"], "wall" | "count">;

function operationFrame(time: Time): Buffer {
  const put = { kind: "put", type: "string", key: "theirs", element: "", value: "1" } as const;
  const operation = { dot: { origin: 2, seq: 1 }, at: { ...time, site: 2 }, seen: NOTHING, effects: [put] };
  return encodeFrame("operation", encodeOperation(operation));
}

function summaryFrame(time: Time, received: VersionVector): Buffer {
  const summary = { received, clock: { ...time, site: 2 }, seenBy: [], flushes: NOTHING, keys: [], isLast: true };
  return encodeFrame("summary", encodeSummary(summary));
}
