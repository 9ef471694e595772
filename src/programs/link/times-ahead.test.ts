import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "#kit/reconcile/system-clock";
import { messageOf } from "#kit/base/fault";
import { until } from "#kit/testing/until";
import { loopbackAddress, startEngine } from "../../../test/kit/engines/engine.ts";
import { addressOf } from "../../../test/kit/engines/proxy.ts";
import { startLink } from "../../../test/kit/links/link-process.ts";
import { ownCertificate } from "../../../test/kit/links/listening.ts";
import { decodeOperation, encodeOperation, type CodedOperation } from "../../core/merge/operations/operation-codec.ts";
import type { LinkCommand } from "../../ports/management/link-control.ts";
import type { Address } from "../../ports/management/proxy-control.ts";
import { NOTHING, vectorOf, type VersionVector } from "../../core/merge/operations/version-vector.ts";
import { encodeSummary } from "../../core/merge/summary/summary.ts";
import type { LinkConnection } from "./transport/connection.ts";
import { encodeFrame } from "./transport/frames.ts";
import { greet, type Greeted } from "./transport/greet.ts";

const GUID = "b0a1";
const HOUR_MS = 3_600_000;
const LAST = Number.MAX_SAFE_INTEGER;
const WITHIN = { withinMs: 60_000 };
const SAID = "Compare the clocks of both";

test("a site whose times are more than a day ahead is refused, at both ends with the reason, and counts nowhere", async () => {
  await using site = await startSite();
  await assert.rejects(site.greeted(NOTHING, LAST), (error) => messageOf(error).includes(SAID));
  await site.refuses(operationFrame({ wall: LAST, count: 0 }), SAID);
  assert.equal(await site.engine.call("GET", "theirs"), null);
  await site.refuses(summaryFrame({ wall: LAST, count: 0 }, NOTHING), SAID);
  await site.engine.call("SET", "own", "1");
  const { at } = await site.nextOwn(NOTHING);
  assert.ok(at.wall < Date.now() + HOUR_MS, `${at.wall} is a time of this site`);
});

test("a site that gets the last count that there is gives its own operations times that others can read", async () => {
  await using site = await startSite();
  const ahead = Date.now() + HOUR_MS;
  const { connection } = await site.greeted(NOTHING);
  await connection.send(operationFrame({ wall: ahead, count: LAST }));
  await until("it is taken", async () => String(await site.engine.call("GET", "theirs")) === "1", WITHIN);
  connection.destroy();
  await site.engine.call("SET", "own", "1");
  const { at } = await site.nextOwn(vectorOf([[2, 1]]));
  assert.ok(at.wall > ahead && at.count < 1_000, `${at.wall}:${at.count} is later, and begins a new count`);
});

test("a summary with operations of this site that it has never made is refused, and no number goes on from there", async () => {
  await using site = await startSite();
  const { connection, greeting } = await site.greeted(NOTHING);
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

/** The next operation that writes something; undefined when the connection ends before. */
async function writeIn({ frames }: LinkConnection): Promise<CodedOperation | undefined> {
  for await (const { kind, body } of frames) {
    if (kind !== "operation") continue;
    const operation = decodeOperation(body);
    if (operation.effects.length > 0) return operation;
  }
  return undefined;
}

/** Site 1 with a real engine and a real link; the test is site 2. */
async function startSite() {
  await using stack = new AsyncDisposableStack();
  const engine = stack.use(await startEngine());
  const link = stack.use(await startLink());
  const listen = { host: loopbackAddress(), port: 9444 };
  await link.configure(servedAt(addressOf(engine), listen));
  const ending = new AbortController();
  stack.defer(() => ending.abort());
  const remote = { ...ownCertificate, id: 1, name: "east", address: listen };
  const greeted = async (received: VersionVector, time?: number): Promise<Greeted> => {
    const said = { guid: GUID, from: 2, to: 1, received, origin: 2, ...(time === undefined ? {} : { time }) };
    for (;;)
      try {
        return await greet(remote, ownCertificate, said, { clock: systemClock, signal: ending.signal });
      } catch (error) {
        // else it has not begun to follow its engine, or the machine is slow
        if (ending.signal.aborted || messageOf(error).includes(SAID)) throw error;
      }
  };
  const owned = stack.move();
  return {
    engine,
    greeted,
    /** Sends the frame until the link has logged that it ends a connection, with this reason. */
    async refuses(frame: Buffer, why: string): Promise<void> {
      const from = link.lines.length;
      while (!link.lines.slice(from).some((line) => line.includes("has ended") && line.includes(why))) {
        const { connection } = await greeted(NOTHING);
        await connection.send(frame);
        await Array.fromAsync(connection.frames, () => undefined);
        connection.destroy();
      }
    },
    /** The next write of site 1; the connection ends when this site says nothing for some seconds. */
    async nextOwn(received: VersionVector): Promise<CodedOperation> {
      for (;;) {
        const { connection } = await greeted(received);
        const operation = await writeIn(connection);
        connection.destroy();
        if (operation !== undefined) return operation;
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** What makes a link serve site 1, which does not reach site 2. */
function servedAt({ host, port }: Address, listen: Address): Extract<LinkCommand, { op: "configure" }> {
  const database = {
    guid: GUID,
    bdb: 1,
    site: 1,
    sites: [{ ...ownCertificate, id: 2, name: "west", address: { host: listen.host, port: 1 } }],
    logins: [],
    confirmedBy: 0,
    awaitsSites: false,
    primary: { host, port },
    keptBytes: 1_000_000,
  };
  return { op: "configure", listen, certificate: ownCertificate, databases: [database] };
}
