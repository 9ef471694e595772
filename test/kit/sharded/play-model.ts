import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import type { Address } from "../../../src/ports/management/proxy-control.ts";
import { encodeCommand } from "../../../src/ports/resp/encode.ts";
import { plain, RawClient } from "../engines/raw-client.ts";
import { seededDice } from "../world/chaos.ts";
import { ModelClient } from "./model-client.ts";

/** What a client plays, and where. */
export interface ModelPlay {
  readonly listen: Address;
  /** Of the database; 0: they change. */
  readonly shards: number;
  /** Of the client. */
  readonly number: number;
  readonly seed: number;
  /** Asked before each pipeline. */
  readonly goesOn: () => boolean;
}

/** Sends pipelines of one client, and compares each reply with its model; how many it has compared. */
export async function playModel({ listen, shards, number, seed, goesOn }: ModelPlay): Promise<number> {
  const dice = seededDice(seed * 1_000 + shards * 100 + number);
  const model = new ModelClient(`${shards}:${number}`, dice, shards === 0 ? "changes" : shards > 1);
  const client = await RawClient.connect(listen);
  let checked = 0;
  for (let round = 0; goesOn(); round++) {
    const pipeline = model.pipeline(40);
    await sendInPieces(client, Buffer.concat(pipeline.map(({ request }) => encodeCommand(request))), dice);
    for (const [at, { request, reply }] of pipeline.entries()) {
      const found = plain(await client.read());
      const where = `${shards} shards, client ${number}, round ${round}, ${at}: ${request.join(" ").slice(0, 60)}`;
      if (typeof reply === "function")
        assert.ok(found !== undefined && reply(found), `${where}: ${String(found).slice(0, 60)}`);
      else assert.deepEqual(found, reply, where);
      checked += 1;
    }
  }
  client.close();
  return checked;
}

async function sendInPieces(client: RawClient, bytes: Buffer, dice: () => number): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const most = dice() < 0.7 ? 70_000 : 100;
    const end = at + 1 + Math.floor(dice() * most);
    client.write(bytes.subarray(at, end));
    at = end;
    if (dice() < 0.3) await turn();
  }
}
