import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountedBytes } from "../limits/accounted-bytes.ts";
import { MemoryBudget } from "../limits/memory-budget.ts";
import { ReplyQueue } from "./reply-queue.ts";
import type { RunWay } from "./run.ts";

const LIMIT = 64 * 1024;
const REPLY = Buffer.alloc(10 * 1024);

/** A queue whose client `deliver` may end. */
function queueOf(memory: MemoryBudget, deliver: (bytes: Buffer) => void): ReplyQueue {
  return new ReplyQueue({
    endpoint: { memory, counters: { noteReply: () => undefined } },
    output: { deliver },
    life: { cut: () => undefined },
  });
}

function wayToShard(): RunWay {
  const nothing = (): void => undefined;
  return {
    inFlight: 0,
    client: "127.0.0.1:1",
    wantsWholeReplies: false,
    finished: nothing,
    answered: nothing,
    cut: nothing,
    settled: nothing,
    lost: nothing,
  };
}

test("the memory of a client that is cut while its replies go out is free", () => {
  const memory = new MemoryBudget(LIMIT);
  let isCut = false;
  const queue: ReplyQueue = queueOf(memory, () => {
    isCut = true;
    queue.drop();
  });
  const [first, second, third] = [wayToShard(), wayToShard(), wayToShard()].map((way) => queue.runOf(way));
  for (const run of [first, second, third]) if (run !== undefined) run.inFlight += 1;
  for (const run of [second, third]) run?.deliver(REPLY, 0, REPLY.length);
  first?.deliver(REPLY, 0, REPLY.length);
  for (const run of [first, second]) if (run !== undefined) run.inFlight -= 1;
  queue.advance();
  assert.equal(isCut, true);
  let isRelieved = false;
  const other = new AccountedBytes(memory, () => (isRelieved = true));
  other.set(LIMIT - 1);
  assert.equal(isRelieved, false);
});

test("replies of later runs wait for those of the first, and what the proxy answers has its place", () => {
  const sent: string[] = [];
  const queue = queueOf(new MemoryBudget(LIMIT), (bytes) => sent.push(bytes.toString()));
  const [first, second] = [queue.runOf(wayToShard()), queue.runOf(wayToShard())];
  queue.answer(Buffer.from("own "));
  for (const run of [first, second]) run.inFlight += 1;
  second.inFlight -= 1;
  second.deliver(Buffer.from("second "), 0, 7);
  queue.advance();
  assert.deepEqual(sent, []);
  first.inFlight -= 1;
  first.deliver(Buffer.from("first "), 0, 6);
  queue.advance();
  assert.equal(sent.join(""), "first second own ");
  assert.equal(queue.isEmpty, true);
});
