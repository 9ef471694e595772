import assert from "node:assert/strict";
import { test } from "node:test";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { twoShards } from "../../../../test/kit/facts/two-shards.ts";
import { slotOf } from "../../../core/slots/slot.ts";
import { drawKeys } from "./drawn-keys.ts";

test("keys of each shard whose engine answers are drawn, with their slots", async () => {
  await using engine = await startEngine();
  for (let key = 0; key < 60; key += 1) await engine.call("SET", `key ${key}`, "v");
  const { record } = twoShards({});
  const [first, second] = record.shards;
  assert.ok(first !== undefined && second !== undefined);
  const shards = [{ ...first, instances: first.instances.map((one) => ({ ...one, port: engine.port })) }, second];
  const drawn = await drawKeys(
    {
      config: { node: 0, address: "" },
      members: { get: () => ({ report: { address: engine.host } }) as never },
      engineTls: { certificate: undefined } as never,
      passwords: { of: () => Promise.resolve({ access: { clients: [""] } } as never) },
    },
    { ...record, shards },
  );
  assert.ok(drawn.size > 10, String(drawn.size));
  for (const [name, slot] of drawn) assert.equal(slot, slotOf(Buffer.from(name)));
});
