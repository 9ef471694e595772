import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames } from "../../../../test/kit/engines/engine.ts";
import { startShard } from "../../../../test/kit/engines/shard.ts";
import type { TestShard } from "../../../../test/kit/engines/shard.ts";
import { factsOf, on } from "../../../../test/kit/facts/database-scene.ts";
import { FakeClock } from "#kit/testing/fake-clock";
import { silentLog } from "#kit/base/log";
import type { DatabaseRecord, ShardRecord } from "../../../core/api/records.ts";
import type { ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import { fenceOldPrimary } from "./fence.ts";
import type { ShardPorts, SwitchoverStep } from "./ports.ts";
import { switchOver } from "./switchover.ts";

const [NAME = ""] = engineNames();

test("each command of a move names its shard when the database has another, and the other stays as it is", async () => {
  await using shard = await startShard([NAME, NAME]);
  const scene = withAnother(shard);
  const result = await switchOver({ record: scene.record(), shard: 1, to: 2 }, scene.ports());
  assert.equal(result.kind, "done", JSON.stringify(result));
  assert.deepEqual(scene.named(), ["hold 1", "prepare 1", "quiet 1", "release 1"]);
  assert.deepEqual(scene.record().shards[0], OTHER);
  assert.deepEqual([scene.record().shards[1]?.primary, scene.record().shards[1]?.epoch], [2, 2]);
});

test("a move that is given up takes back the hold of its shard alone", async () => {
  await using shard = await startShard([NAME, NAME]);
  const scene = withAnother(shard);
  const failing = (step: SwitchoverStep): Promise<void> =>
    step === "promote" ? Promise.reject(new Error("planted")) : Promise.resolve();
  const result = await switchOver({ record: scene.record(), shard: 1, to: 2 }, scene.ports(failing));
  assert.equal(result.kind, "aborted");
  assert.ok(scene.named().includes("abort 1"), scene.named().join());
  assert.deepEqual(scene.record().shards[0], OTHER);
});

test("a fence names its shard when the database has another", async () => {
  const { record } = factsOf({ instances: [on(1, 1), on(2, 2)] });
  const two: DatabaseRecord = { ...record, shards: [OTHER, ...record.shards] };
  const sent: ProxyCommand[] = [];
  const send = async (command: ProxyCommand): Promise<ProxyReply> => {
    sent.push(command);
    return { ok: true, op: "fence" };
  };
  await fenceOldPrimary(
    two,
    { shard: 1, from: 1, to: 2, epoch: 2 },
    {
      proxies: [{ node: 1, send, isDead: () => false, isFenced: async () => false }],
      addressOf: () => undefined,
      change: async (change) => change(two),
      syncOf: () => undefined,
      log: silentLog,
      clock: new FakeClock(),
    },
  );
  assert.deepEqual(sent, [{ op: "fence", bdb: 1, shard: 1, epoch: 2 }]);
});

/** No proxy serves it here. */
const OTHER: ShardRecord = {
  id: 7,
  epoch: 4,
  primary: 9,
  instances: [{ id: 9, node: 1, port: 1, storeVersion: "7.2", launch: 1 }],
};

/** The shard as the later one of its database, with what the proxies are asked for. */
function withAnother(shard: TestShard) {
  const given = shard.record();
  let record: DatabaseRecord = { ...given, shards: [OTHER, ...given.shards] };
  const names = new Set<string>();
  const note = (command: ProxyCommand): void => {
    const named = "shard" in command ? ` ${command.shard}` : "";
    names.add(`${command.op}${named}`);
  };
  const ports = (before?: (step: SwitchoverStep) => Promise<void>): ShardPorts => {
    const own = shard.ports(before);
    return {
      ...own,
      change: async (change) => (record = change(record)),
      proxies: own.proxies.map((proxy) => ({
        ...proxy,
        send: (command) => {
          note(command);
          return proxy.send(command);
        },
      })),
    };
  };
  return { ports, record: () => record, named: () => [...names].toSorted() };
}
