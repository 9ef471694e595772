import assert from "node:assert/strict";
import { test } from "node:test";
import { plain, RawClient } from "../kit/engines/raw-client.ts";
import { Served } from "../kit/engines/served.ts";
import { memoryOf } from "../kit/facts/memory.ts";
import { piecesOf } from "../kit/fuzz/pieces.ts";
import { progressOf } from "../kit/fuzz/progress.ts";
import { Tenant, type Expectation, type Resp } from "../kit/fuzz/tenant.ts";
import { Witness } from "../kit/fuzz/witness.ts";
import { until } from "#kit/testing/until";
import { seededDice, type Dice } from "../kit/world/chaos.ts";
import { messageOf } from "#kit/base/fault";
import { encodeCommand } from "../../src/ports/resp/encode.ts";
import type { Reply } from "../../src/ports/resp/reply.ts";

/** A seed replays what the clients send; `FUZZ_PIPELINES=1000000` is the long run. */
const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 100_000);
const pipelines = Number(process.env["FUZZ_PIPELINES"] ?? 3_000);
const CLIENTS = 12;
/** Pipelines between two moves of the primary. */
const MOVE_EVERY = 400;
/** How often a client leaves in the middle of what it sends. */
const LEAVES = 0.01;
/** Far above what a proxy takes, and far below what it would take if it kept something of each pipeline of a long run. */
const MOST_MIB = 400;
/** Far above what a client waits, also on a busy machine, and far below a wait for what another client does not finish. */
const MOST_WAIT_MS = 2_000;

test(`each client gets its own replies, in order, whatever the others send and wherever the primary is (FUZZ_SEED=${seed})`, async (t) => {
  await using served = await Served.start();
  const left = { count: pipelines };
  const atEngineItself = new Witness(await RawClient.connect(served.primary), { mayBeRefused: true });
  const witnesses = [new Witness(await served.client()), atEngineItself];
  await served.primary.call("SET", "witness", "saw it");
  const witnessed = Promise.all(witnesses.map((witness) => witness.run("witness", "saw it")));
  const done = Promise.all(Array.from({ length: CLIENTS }, (_, number) => play(served, number, left)));
  const moves = movePrimary(served, left);
  const leavers = (await done.finally(() => witnesses.forEach((witness) => void witness.end()))).reduce(
    (all, times) => all + times,
    0,
  );
  const [waits, atEngine] = await witnessed;
  const most = memoryOf(served.proxy.pid)?.most ?? 0;
  assert.ok(waits !== undefined && atEngine !== undefined);
  t.diagnostic(
    `${pipelines} pipelines, ${await moves} moves, ${leavers} clients that left; the proxy took ${Math.round(most)} MiB at most; ` +
      `${waits.count} requests beside: p50 ${waits.p50.toFixed(1)} ms, p99 ${waits.p99.toFixed(1)} ms, longest ${waits.longest.toFixed(0)} ms; ` +
      `at the engine itself: p50 ${atEngine.p50.toFixed(1)} ms, p99 ${atEngine.p99.toFixed(1)} ms`,
  );
  assert.ok((await moves) > 0, "the primary moved meanwhile");
  assert.ok(leavers > 0, "clients left in the middle");
  assert.ok(most < MOST_MIB, `the proxy took ${most} MiB`);
  assert.ok(waits.p99 < MOST_WAIT_MS, `another client waited ${waits.p99} ms (p99)`);
});

/** Plays clients one after the other, each until it leaves; how many left in the middle of something. */
async function play(served: Served, number: number, left: { count: number }): Promise<number> {
  const dice = seededDice(seed + number);
  for (let leavers = 0; ; leavers += 1) {
    const resp = dice() < 0.5 ? 2 : 3;
    const tenant = new Tenant(`client-${number}-${leavers}`, dice, resp);
    const client = await connected(served, resp);
    const hasLeft = await playUntilItLeaves(client, tenant, dice, left);
    if (!hasLeft) return leavers;
    const cleaner = await served.client();
    await cleaner.ask("UNLINK", ...tenant.keys);
    cleaner.close();
  }
}

async function playUntilItLeaves(
  client: RawClient,
  tenant: Tenant,
  dice: Dice,
  left: { count: number },
): Promise<boolean> {
  while (left.count > 0) {
    left.count -= 1;
    const expectations = tenant.pipeline(20);
    const bytes = Buffer.concat(expectations.map(({ request }) => encodeCommand(request)));
    if (dice() < LEAVES) {
      await leave(client, bytes, dice);
      return true;
    }
    for (const piece of piecesOf(bytes, dice)) client.write(piece);
    for (const expectation of expectations) expectReply(plain(await client.read()), expectation);
  }
  assert.deepEqual(client.unread, [], "nothing that it did not ask for");
  client.close();
  return false;
}

/** In the middle of a request, or of the replies. */
async function leave(client: RawClient, bytes: Buffer, dice: Dice): Promise<void> {
  const isWhole = dice() < 0.5;
  client.write(isWhole ? bytes : bytes.subarray(0, dice() * bytes.length));
  if (isWhole) await client.read();
  client.reset();
}

async function connected(served: Served, resp: Resp): Promise<RawClient> {
  const client = await served.client();
  if (resp === 3) await client.ask("HELLO", 3);
  return client;
}

function expectReply(reply: Reply | undefined, { request, reply: expected }: Expectation): void {
  const what = `${JSON.stringify(request).slice(0, 200)} (FUZZ_SEED=${seed})`;
  if (typeof expected === "object" && expected !== null && "errorBegins" in expected)
    assert.ok(typeof reply === "string" && reply.startsWith(expected.errorBegins), `${what}: ${String(reply)}`);
  else assert.deepEqual(reply, expected, what);
}

/** Moves the primary from one engine to the other while clients are at work; how often it did. */
async function movePrimary(served: Served, left: { readonly count: number }): Promise<number> {
  const progress = progressOf("pipelines", pipelines);
  let moves = 0;
  while (left.count > 0) {
    progress(pipelines - left.count);
    const next = left.count - MOVE_EVERY;
    await until("the clients are further", () => left.count <= Math.max(next, 0), { withinMs: 120_000 });
    if (left.count <= 0) break;
    if (await hasMoved(served)) moves += 1;
  }
  return moves;
}

/** A move gives up, as the product does, when a request is not answered in time; the clients go on at the old primary. */
async function hasMoved(served: Served): Promise<boolean> {
  try {
    await served.move();
    return true;
  } catch (error) {
    if (!messageOf(error).startsWith("PROXY_NOT_DRAINED")) throw error;
    served.epoch -= 1;
    await served.abort();
    return false;
  }
}
