import assert from "node:assert/strict";
import { test } from "node:test";
import { Served } from "../kit/engines/served.ts";
import { plain, type RawClient } from "../kit/engines/raw-client.ts";
import { Tenant, type Expectation } from "../kit/fuzz/tenant.ts";
import { until } from "../kit/time/until.ts";
import { seededDice } from "../kit/world/chaos.ts";
import { encodeCommand } from "../../src/ports/resp/encode.ts";
import type { Reply } from "../../src/ports/resp/reply.ts";

/** A seed replays what the clients send; `FUZZ_PIPELINES=1000000` is the long run. */
const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 100_000);
const pipelines = Number(process.env["FUZZ_PIPELINES"] ?? 3_000);
const CLIENTS = 12;
/** Pipelines between two moves of the primary. */
const MOVE_EVERY = 400;

test(`each client gets its own replies, in order, whatever the others send and wherever the primary is (FUZZ_SEED=${seed})`, async () => {
  await using served = await Served.start();
  const left = { count: pipelines };
  const clients = await served.clients(CLIENTS);
  const done = Promise.all(clients.map((client, number) => play(client, number, left)));
  const moves = movePrimary(served, left);
  await done;
  assert.ok((await moves) > 0, "the primary moved meanwhile");
});

async function play(client: RawClient, number: number, left: { count: number }): Promise<void> {
  const dice = seededDice(seed + number);
  const tenant = new Tenant(`client-${number}`, dice);
  while (left.count > 0) {
    left.count -= 1;
    const expectations = tenant.pipeline(20);
    sendInPieces(client, Buffer.concat(expectations.map(({ request }) => encodeCommand(request))), dice);
    for (const expectation of expectations) expectReply(plain(await client.read()), expectation, number);
  }
  assert.deepEqual(client.unread, [], "nothing that it did not ask for");
  client.close();
}

/** As networks do: a request may arrive in pieces, and several at once. */
function sendInPieces(client: RawClient, bytes: Buffer, dice: () => number): void {
  const most = dice() < 0.3 ? 7 : 100_000;
  for (let from = 0; from < bytes.length;) {
    const to = from + 1 + Math.floor(dice() * most);
    client.write(bytes.subarray(from, to));
    from = to;
  }
}

function expectReply(reply: Reply | undefined, { request, reply: expected }: Expectation, number: number): void {
  const what = `client ${number}, ${JSON.stringify(request).slice(0, 200)} (FUZZ_SEED=${seed})`;
  if (typeof expected === "object" && expected !== null && "errorBegins" in expected)
    assert.ok(typeof reply === "string" && reply.startsWith(expected.errorBegins), `${what}: ${String(reply)}`);
  else assert.deepEqual(reply, expected, what);
}

/** Moves the primary from one engine to the other while clients are at work; how often it did. */
async function movePrimary(served: Served, left: { readonly count: number }): Promise<number> {
  let moves = 0;
  while (left.count > 0) {
    const next = left.count - MOVE_EVERY;
    await until("the clients are further", () => left.count <= Math.max(next, 0), { withinMs: 120_000 });
    if (left.count <= 0) break;
    await served.move();
    moves += 1;
  }
  return moves;
}
