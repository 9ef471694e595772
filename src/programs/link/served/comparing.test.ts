import assert from "node:assert/strict";
import { test } from "node:test";
import { listening, ownCertificate, type Listening } from "../../../../test/kit/links/listening.ts";
import { isFault } from "#kit/base/fault";
import type { SitesQuestion } from "../../../mechanisms/site/begin-site.ts";
import type { GivenKeys } from "../../../mechanisms/site/state/give-keys.ts";
import { withBytes, type CodedOperation } from "../../../core/merge/operations/operation-codec.ts";
import { NOTHING } from "../../../core/merge/operations/version-vector.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { faults } from "../faults.ts";
import { answerKeys } from "../transport/compared-frames.ts";
import { greetedBy } from "../transport/greet.ts";
import { encodeGreeting } from "../transport/messages.ts";
import { askOthers, connectTo } from "./comparing.ts";

const AGAIN: SitesQuestion = { howOften: "again", hasRoom: () => Promise.resolve(true) };
const ANSWER = { guid: "g", from: 2, to: 1, formats: [1], received: NOTHING, origin: 2 };

/** A site whose link answers so, and has sums of its own alone. */
function answering(more: object, own: readonly CodedOperation[] = []): Promise<Listening> {
  return listening(async (socket) => {
    const { connection, greeting } = await greetedBy(socket);
    await connection.send(encodeGreeting({ ...ANSWER, ...more }));
    const keys: GivenKeys = {
      look: () => Promise.resolve([]),
      async *names() {},
      sums: (count) =>
        count === 1 ? undefined : Uint32Array.from({ length: 2 * count }, (_, at) => 4_294_967_295 - at),
      operationsOf: (site) => Promise.resolve(site === 1 ? own.map(({ bytes }) => bytes) : []),
      digests: (names, areClose) =>
        Promise.resolve(Uint32Array.from(names.flatMap((name) => [name.length, areClose ? 8 : 7]))),
    };
    await answerKeys(connection, keys, greeting);
  });
}

function connected(listens: Listening) {
  return connectTo(asking(listens), 2);
}

/** Site 1, which knows where sites from 2 on listen. */
function asking({ at, signal }: Listening, ...more: readonly Listening[]) {
  const addresses = [at, ...more.map((each) => each.at)];
  const sites = addresses.map((address, index) => ({ ...ownCertificate, id: index + 2, name: "west", address }));
  const database = {
    guid: "g",
    bdb: 1,
    site: 1,
    sites,
    logins: [],
    confirmedBy: 0,
    keptBytes: 1_000_000,
    awaitsSites: false,
  };
  return { database, own: () => ownCertificate, clock: systemClock, signal };
}

const cases: readonly (readonly [rule: string, answer: object, why: RegExp])[] = [
  ["a site of a release without digests is not compared", {}, /release gives no digests/],
  ["a site that gets its data is not compared", { digests: true, joining: true }, /gets the data/],
  ["a site that has not captured all is not compared", { digests: true, incomplete: true }, /still looks/],
];

for (const [rule, answer, why] of cases)
  test(rule, async () => {
    await using site = await answering(answer);
    await assert.rejects(connected(site), (error) => isFault(error, faults.cannotCompare) && why.test(error.message));
  });

test("sums and digests arrive as they are, and none where there are none", async () => {
  await using site = await answering({ digests: true });
  const other = await connected(site);
  assert.equal(await other.sums(1), undefined);
  assert.deepEqual(await other.sums(2), Uint32Array.of(4_294_967_295, 4_294_967_294, 4_294_967_293, 4_294_967_292));
  assert.deepEqual(await other.digests(["a", "bcd"]), Uint32Array.of(1, 8, 3, 8));
  other.close();
});

test("a number of ranges that there is not ends the connection", async () => {
  await using site = await answering({ digests: true });
  const other = await connected(site);
  await assert.rejects(other.sums(3), (error) => isFault(error, faults.silent));
  other.close();
});

test("a site gets back its own operations from those that keep them, and knows whether all have answered", async () => {
  const operation = (seq: number): CodedOperation =>
    withBytes({ dot: { origin: 1, seq }, at: { wall: 1, count: seq, site: 1 }, seen: NOTHING, effects: [] });
  await using keeps = await answering({ givesOwn: true }, [operation(1), operation(2)]);
  await using older = await answering({ from: 3, origin: 3 }, [operation(3)]);
  const asked = await askOthers(asking(keeps, older), AGAIN);
  assert.deepEqual(
    asked.operations.map(({ dot }) => dot.seq),
    [1, 2],
    "a site of an older release gives none",
  );
  assert.deepEqual([asked.received.length, asked.isComplete], [2, true]);
  await using silent = await listening(() => new Promise(() => {}));
  const partly = await askOthers(asking(keeps, silent), { ...AGAIN, howOften: "once" });
  assert.deepEqual([partly.operations.length, partly.received.length, partly.isComplete], [2, 1, false]);
});

test("a site that is about to begin is asked again", async () => {
  let asked = 0;
  await using begins = await listening(async (socket) => {
    asked += 1;
    if (asked < 3) return void socket.destroy();
    const { connection } = await greetedBy(socket);
    await connection.send(encodeGreeting(ANSWER));
    await connection.frames.next();
  });
  assert.equal((await askOthers(asking(begins), { ...AGAIN, howOften: "once" })).isComplete, false);
  assert.deepEqual([(await askOthers(asking(begins), AGAIN)).isComplete, asked], [true, 3]);
});

/** Asks a site whose engine reads its disk until it was asked so often; what comes of it, and how often it was asked. */
async function askedWhileLoading(ready: number, hasRoom: SitesQuestion["hasRoom"]) {
  let asked = 0;
  await using loads = await listening(async (socket) => {
    asked += 1;
    const isReady = asked >= ready;
    const { connection, greeting } = await greetedBy(socket);
    assert.equal(greeting.asksOwn, true);
    await connection.send(encodeGreeting({ ...ANSWER, ...(isReady ? {} : { loading: true }) }));
    if (isReady) await connection.frames.next();
  });
  const { isComplete } = await askOthers(asking(loads), { howOften: "again", hasRoom });
  return { isComplete, asked };
}

test("a site whose engine reads its disk is waited for, beyond the time for one that says nothing", async () => {
  const rounds = 30; // 200 ms each: more than five seconds
  assert.deepEqual(await askedWhileLoading(rounds, () => Promise.resolve(true)), { isComplete: true, asked: rounds });
});

test("it is not waited for when the own engine has no room for what clients write meanwhile", async () => {
  assert.equal((await askedWhileLoading(Infinity, () => Promise.resolve(false))).isComplete, false);
});
