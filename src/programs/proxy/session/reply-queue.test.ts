import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { FrameScanner, INCOMPLETE } from "../../../ports/resp/frame-scanner.ts";
import { AccountedBytes } from "../limits/accounted-bytes.ts";
import { MemoryBudget } from "../limits/memory-budget.ts";
import { REPLY_ENDS } from "../upstream/reply-ends.ts";
import { ReplyQueue } from "./reply-queue.ts";
import type { Run, RunWay } from "./run.ts";
import { takeWeave, type Weave } from "./weave.ts";

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
  for (const run of [second, third]) run?.deliver(REPLY, 0, REPLY.length, 1);
  first?.deliver(REPLY, 0, REPLY.length, 1);
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
  answerItself(queue, Buffer.from("own "));
  for (const run of [first, second]) run.inFlight += 1;
  second.inFlight -= 1;
  second.deliver(Buffer.from("second "), 0, 7, 1);
  queue.advance();
  assert.deepEqual(sent, []);
  first.inFlight -= 1;
  first.deliver(Buffer.from("first "), 0, 6, 1);
  queue.advance();
  assert.equal(sent.join(""), "first second own ");
  assert.equal(queue.isEmpty, true);
});

test("woven replies go out in the order of the requests, together", () => {
  const { queue, sent, strands } = wovenQueue([0, 1, 0, 2, 1, 1]);
  const [first, second, third] = strands;
  answer(second, "+b\r\n$3\r\nB");
  answer(third, "*2\r\n:1\r\n$1\r\nc\r\n");
  answer(first, "-ERR a\r\n$1\r\nA\r\n");
  queue.advance();
  assert.deepEqual(sent, []);
  answer(second, "BB\r\n_\r\n");
  queue.advance();
  assert.deepEqual(sent, ["-ERR a\r\n+b\r\n$1\r\nA\r\n*2\r\n:1\r\n$1\r\nc\r\n$3\r\nBBB\r\n_\r\n"]);
  assert.equal(queue.isEmpty, true);
});

test("woven replies do not wait for a shard that is slow, as far as those before them are there", async () => {
  const { queue, sent, strands } = wovenQueue([0, 1, 0, 1]);
  const [first, second] = strands;
  answer(first, "+a\r\n+A\r\n");
  queue.advance();
  while (sent.length === 0) await turn();
  assert.deepEqual(sent, ["+a\r\n"]);
  answer(second, "$5\r\nb");
  answerItself(queue, Buffer.from("+own\r\n"));
  queue.advance();
  while (sent.length === 1) await turn();
  answer(second, "bbbb\r\n+B\r\n");
  queue.advance();
  assert.equal(sent.join(""), "+a\r\n$5\r\nbbbbb\r\n+A\r\n+B\r\n+own\r\n");
});

test("a large woven reply whose turn it is goes out as it comes, and needs no memory", () => {
  const { queue, sent, strands, memory } = wovenQueue([0, 1, 0, 1]);
  const [first, second] = strands;
  const part = "x".repeat(20 * 1024);
  answer(first, `$${20 * part.length}\r\n`);
  for (let i = 0; i < 20; i++) answer(first, part);
  assert.equal(sent.join("").length, `$${20 * part.length}\r\n`.length + 20 * part.length);
  let isRelieved = false;
  new AccountedBytes(memory, () => (isRelieved = true)).set(LIMIT - 8 * 1024);
  assert.equal(isRelieved, false);
  answer(first, "\r\n+a\r\n");
  answer(second, "+b\r\n+B\r\n");
  queue.advance();
  assert.ok(sent.join("").endsWith("\r\n+b\r\n+a\r\n+B\r\n"));
});

test("what is left of woven requests for other shards is in the order of the requests: replies that are here, and requests that were refused", () => {
  const { queue, strands } = wovenQueue([0, 1, 0, 2, 1, 2]);
  const [first, second, third] = strands;
  answer(first, "+a\r\n+A\r\n");
  answer(second, "$1\r\nb\r\n");
  for (const run of [second, third, third]) if (run !== undefined) run.inFlight -= 1;
  const refused = new Map([
    [second, ["GET B"]],
    [third, ["GET c", "GET C"]],
  ]);
  const left = queue.takeLeft((run) => (refused.get(run) ?? []).map((request) => Buffer.from(request)));
  assert.deepEqual(
    left.map((one) => ("reply" in one ? one.reply : "request" in one ? one.request : assert.fail()).toString()),
    ["GET c", "GET B", "GET C"],
  );
  assert.equal(queue.isEmpty, true);
});

test("a reply behind a refused request of another shard is left where it is", () => {
  const { queue, sent, strands } = wovenQueue([0, 1, 0, 1, 0]);
  const [first, second] = strands;
  answer(first, "+a\r\n$2\r\nAA\r\n:3\r\n");
  for (const run of [second, second]) if (run !== undefined) run.inFlight -= 1;
  const requests = [Buffer.from("GET b"), Buffer.from("GET B")];
  const left = queue.takeLeft((run) => (run === second ? requests : []));
  assert.equal(sent.join(""), "+a\r\n");
  assert.deepEqual(
    left.map((one) => ("reply" in one ? one.reply : "request" in one ? one.request : assert.fail()).toString()),
    ["GET b", "$2\r\nAA\r\n", "GET B", ":3\r\n"],
  );
});

test("a client that is cut while its woven replies go out leaves nothing to the next one that is woven", () => {
  const { queue, strands } = wovenQueue([0, 1, 0, 1], () => void queue.drop());
  const [first, second] = strands;
  answer(second, "+b\r\n+B\r\n");
  answer(first, "+a\r\n+A\r\n");
  queue.advance();
  const { queue: other, sent, strands: others } = wovenQueue([0, 1, 0, 1]);
  answer(others[1], "+y\r\n+Y\r\n");
  answer(others[0], "+x\r\n+X\r\n");
  other.advance();
  assert.deepEqual(sent, ["+x\r\n+y\r\n+X\r\n+Y\r\n"]);
});

test("replies that seem large are not woven", () => {
  const queue = queueOf(new MemoryBudget(LIMIT), () => undefined);
  assert.equal(queue.weave(weaveOf([0, 1])), false);
});

/** A queue whose client has had small replies, and the runs of requests that are woven: `order` has the place of the run of each. */
function wovenQueue(order: readonly number[], delivered: () => void = () => undefined) {
  const memory = new MemoryBudget(LIMIT);
  const sent: string[] = [];
  let isWarm = false;
  const queue = queueOf(memory, (bytes) => {
    sent.push(bytes.toString());
    if (isWarm) delivered();
  });
  for (let i = 0; i < 100; i++) {
    const run = queue.runOf(wayToShard());
    run.inFlight += 1;
    answer(run, "+\r\n");
    queue.settled(run);
    queue.advance();
  }
  sent.length = 0;
  isWarm = true;
  const weave = weaveOf(order);
  assert.equal(queue.weave(weave), true);
  const strands = Array.from({ length: weave.strands.count }, (_, strand) => weave.runOf(strand, wayToShard(), queue));
  for (const place of order) if (strands[place] !== undefined) strands[place].inFlight += 1;
  return { memory, sent, queue, weave, strands };
}

function answerItself(queue: ReplyQueue, reply: Buffer): void {
  queue.split([], { merge: () => reply, whole: undefined });
}

/** Requests of these shards, each of one byte. */
function weaveOf(shards: readonly number[]): Weave {
  const weave = takeWeave();
  weave.found.begin(0);
  for (const [at, shard] of shards.entries()) weave.found.add(shard, at + 1);
  assert.equal(weave.arrange(), true);
  return weave;
}

/** What has arrived of the reply that comes next. */
const scanners = new WeakMap<Run, FrameScanner>();

/** These bytes of replies to a run arrive. */
function answer(run: Run | undefined, text: string): void {
  if (run === undefined) return;
  const scanner = scanners.get(run) ?? new FrameScanner();
  scanners.set(run, scanner);
  const bytes = Buffer.from(text);
  let whole = 0;
  for (let at = 0; (at = scanner.next(bytes, at, bytes.length)) !== INCOMPLETE;) REPLY_ENDS[whole++] = at;
  run.inFlight -= whole;
  run.deliver(bytes, 0, bytes.length, whole);
}
