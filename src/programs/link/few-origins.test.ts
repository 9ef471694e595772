import assert from "node:assert/strict";
import { test } from "node:test";
import { messageOf } from "#kit/base/fault";
import { until } from "#kit/testing/until";
import { startGreetedSite } from "../../../test/kit/links/greeted-site.ts";
import { MOST_OF_A_SITE } from "../../core/merge/operations/few-origins.ts";
import { encodeOperation } from "../../core/merge/operations/operation-codec.ts";
import { originOf } from "../../core/merge/operations/origin.ts";
import { NOTHING, originsOf, vectorOf } from "../../core/merge/operations/version-vector.ts";
import { encodeFrame, encodeFrames } from "./transport/frames.ts";

const SAID = "Site 2 has begun anew 256 times";

/** The first operation of an incarnation of site 2. */
function begun(incarnation: number): Uint8Array {
  const put = { kind: "put", type: "string", key: `of:${incarnation}`, element: "", value: "1" } as const;
  const dot = { origin: originOf(2, incarnation), seq: 1 };
  return encodeOperation({ dot, at: { wall: 1, count: incarnation, site: dot.origin }, seen: NOTHING, effects: [put] });
}

test("a site that begins anew 3,000 times is refused with the remedy, and the links to other sites stay", async () => {
  await using site = await startGreetedSite();
  const third = await site.greeted({ origin: 3 });
  await site.refuses(
    encodeFrames(
      "operation",
      Array.from({ length: 3_000 }, (_, index) => begun(index)),
    ),
    SAID,
  );
  await assert.rejects(site.greeted({ origin: originOf(2, 3_000) }), (error) => messageOf(error).includes(SAID));
  third.connection.destroy();
  const { connection, greeting } = await site.greeted({ origin: 3 });
  const ofSite = originsOf(greeting.received).filter((origin) => origin % 64 === 2);
  assert.equal(ofSite.length, MOST_OF_A_SITE);
  const write = { kind: "put", type: "string", key: "third", element: "", value: "1" } as const;
  const operation = { dot: { origin: 3, seq: 1 }, at: { wall: 1, count: 0, site: 3 }, seen: NOTHING, effects: [write] };
  await connection.send(encodeFrame("operation", encodeOperation(operation)));
  await until("site 3 is taken", async () => String(await site.engine.call("GET", "third")) === "1", {
    withinMs: 60_000,
  });
  connection.destroy();
});

test("operations that come early without an end end the connection, and the site takes what follows nothing else", async () => {
  await using site = await startGreetedSite();
  const early = (seq: number): Uint8Array => {
    const put = { kind: "put", type: "string", key: "early", element: "", value: "x".repeat(10_000) } as const;
    const at = { wall: 1, count: seq, site: 2 };
    return encodeOperation({ dot: { origin: 2, seq }, at, seen: vectorOf([[3, 1]]), effects: [put] });
  };
  await site.refuses(
    encodeFrames(
      "operation",
      Array.from({ length: 200 }, (_, index) => early(index + 1)),
    ),
    "There was no room for operations",
  );
  const cause = { kind: "put", type: "string", key: "cause", element: "", value: "1" } as const;
  const operation = { dot: { origin: 3, seq: 1 }, at: { wall: 1, count: 0, site: 3 }, seen: NOTHING, effects: [cause] };
  const { connection } = await site.greeted({ origin: 3 });
  await connection.send(encodeFrame("operation", encodeOperation(operation)));
  await until("what was kept follows", async () => (await site.engine.call("EXISTS", "cause", "early")) === 2, {
    withinMs: 60_000,
  });
  connection.destroy();
});
