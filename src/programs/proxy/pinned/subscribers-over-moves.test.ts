import assert from "node:assert/strict";
import { done } from "../../../../test/kit/engines/proxy.ts";
import type { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { demote, promote } from "../../../../test/kit/engines/switchover.ts";
import { untilBlocked } from "../../../../test/kit/engines/until-blocked.ts";
import { Push, type Reply } from "../../../ports/resp/reply.ts";

const test = sharing(() => Served.start());

/** A subscriber that its engine subscribes to nothing more for a while. */
interface Way {
  readonly begin: (subscriber: RawClient, served: Served) => Promise<unknown>;
  /** It goes on, and its reply shows that the next engine had its state. */
  readonly end: (subscriber: RawClient, other: RawClient) => Promise<unknown>;
  readonly reply: unknown;
}

const WAYS: Readonly<Record<string, Way>> = {
  "inside MULTI": {
    begin: async (subscriber) => {
      await subscriber.ask("MULTI");
      await subscriber.ask("SET", "k", "v");
    },
    end: async (subscriber) => void subscriber.send("EXEC"),
    reply: ["OK"],
  },
  "in a blocking command": {
    begin: async (subscriber, { primary }) => {
      subscriber.send("BLPOP", "q", "0");
      await untilBlocked(primary, 1);
    },
    end: (_, other) => other.ask("RPUSH", "q", "a"),
    reply: ["q", "a"],
  },
  "in a blocking command with a script behind it": {
    begin: async (subscriber, { primary }) => {
      subscriber.send("BLPOP", "q", "0");
      subscriber.send("EVAL", "return 1", "0");
      await untilBlocked(primary, 1);
    },
    end: (_, other) => other.ask("RPUSH", "q", "a"),
    reply: ["q", "a"],
  },
  "behind CLIENT CACHING": {
    begin: async (subscriber) => {
      await subscriber.ask("CLIENT", "TRACKING", "ON", "OPTIN");
      await subscriber.ask("CLIENT", "CACHING", "YES");
    },
    end: async (subscriber) => void subscriber.send("GET", "none"),
    reply: null,
  },
};

for (const [where, { begin, end, reply }] of Object.entries(WAYS)) {
  test(`a subscriber ${where} misses no message of moves, and gets none twice`, async (served) => {
    const [subscriber, other, publisher] = await subscribed(served);
    await begin(subscriber, served);
    const isOver = { now: false };
    const publishing = publish(publisher, isOver);
    await served.move();
    await served.move();
    isOver.now = true;
    const count = await publishing;
    await end(subscriber, other);
    const got: Reply[] = [];
    while (got.filter(isPublished).length < count || got.every((frame) => frame instanceof Push))
      got.push(await nextOf(subscriber));
    assert.deepEqual(
      got.filter(isPublished).map((push) => push.values.at(-1)),
      Array.from({ length: count }, (_, i) => String(i)),
    );
    assert.deepEqual(
      got.find((frame) => !(frame instanceof Push)),
      reply,
    );
    for (const client of [subscriber, other, publisher]) client.close();
  });

  test(`a subscriber ${where} gets the messages of a hold that is given up, and those of the move behind it`, async (served) => {
    const [subscriber, other, publisher] = await subscribed(served);
    await begin(subscriber, served);
    await done(served.prepare());
    await done(served.hold());
    await served.primary.call("PUBLISH", "ch", "held");
    await done(served.abort());
    assert.deepEqual(await nextMessage(subscriber), "held");
    const [from, to] = [served.primary, served.replica];
    await done(served.prepare());
    await done(served.hold());
    await promote(from, to);
    // as a client of another proxy does that is released first
    assert.equal(await to.call("PUBLISH", "ch", "early"), 1);
    [served.primary, served.replica] = [to, from];
    await done(served.release());
    assert.equal(await publisher.ask("PUBLISH", "ch", "late"), 1);
    for (const message of ["early", "late"]) assert.equal(await nextMessage(subscriber), message);
    await demote(from, to);
    await end(subscriber, other);
    for (const client of [subscriber, other, publisher]) client.close();
  });
}

test("the channel of the markers counts for no client", async (served) => {
  const [subscriber, other, publisher] = await subscribed(served);
  await subscriber.ask("MULTI");
  await served.move();
  assert.deepEqual(await subscriber.ask("EXEC"), []);
  assert.deepEqual(await subscriber.ask("SUBSCRIBE", "second"), new Push(["subscribe", "second", 2]));
  await subscriber.ask("MULTI");
  await subscriber.ask("DISCARD");
  assert.deepEqual(await subscriber.ask("UNSUBSCRIBE", "second"), new Push(["unsubscribe", "second", 1]));
  assert.deepEqual(await subscriber.ask("UNSUBSCRIBE"), new Push(["unsubscribe", "ch", 0]));
  assert.equal(await subscriber.ask("PING"), "PONG");
  for (const client of [subscriber, other, publisher]) client.close();
});

async function subscribed(served: Served): Promise<readonly [RawClient, RawClient, RawClient]> {
  const [subscriber, other, publisher] = [await served.client(), await served.client(), await served.client()];
  await other.ask("DEL", "q", "k");
  await subscriber.ask("HELLO", 3);
  await subscriber.ask("SUBSCRIBE", "ch");
  return [subscriber, other, publisher];
}

/** Publishes numbers until it is over, each of which the subscriber must get; how many. */
async function publish(publisher: RawClient, isOver: { readonly now: boolean }): Promise<number> {
  let count = 0;
  for (; !isOver.now; count++) assert.equal(await publisher.ask("PUBLISH", "ch", count), 1);
  return count;
}

function isPublished(frame: Reply): frame is Push {
  return frame instanceof Push && frame.values[0] === "message";
}

async function nextMessage(subscriber: RawClient): Promise<unknown> {
  for (;;) {
    const frame = await nextOf(subscriber);
    if (isPublished(frame)) return frame.values.at(-1);
  }
}

async function nextOf(subscriber: RawClient): Promise<Reply> {
  const frame = await subscriber.read();
  if (frame === undefined) assert.fail("its connection has ended");
  return frame;
}
