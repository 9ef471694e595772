import assert from "node:assert/strict";
import type { TestEngine } from "../../../../test/kit/engines/engine.ts";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done } from "../../../../test/kit/engines/proxy.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { Sharded } from "../../../../test/kit/sharded/sharded.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { until } from "#kit/testing/until";
import { evenSlots } from "../../../core/slots/shard-slots.ts";
import type { EndpointShard, ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";

/** A database of two shards, to whose place another one comes: engines are empty, and what they have shows where requests go. */
class Scene implements AsyncDisposable {
  readonly sharded: Sharded;
  readonly next: TestEngine;

  private constructor(sharded: Sharded, next: TestEngine) {
    this.sharded = sharded;
    this.next = next;
  }

  static async start(): Promise<Scene> {
    return new Scene(await Sharded.start(2, { tableEpoch: 4 }), await startEngine());
  }

  send(command: ProxyCommand): Promise<ProxyReply> {
    return this.sharded.proxy.send(command);
  }

  async refusal(command: ProxyCommand): Promise<string> {
    const reply = await this.send(command);
    return reply.ok ? "done" : reply.code;
  }

  shards(id: number): readonly EndpointShard[] {
    return [{ id, epoch: 1, primary: addressOf(this.next) }];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.next.stop();
    await this.sharded[Symbol.asyncDispose]();
  }
}

const test = sharing(() => Scene.start());
const HOLD = { op: "hold-table", bdb: 1, drainMs: 5_000, holdMs: 60_000 } as const;

test("clients of all shards are held, and go on when the change is given up", async (scene) => {
  const client = await scene.sharded.client();
  await done(scene.send({ op: "prepare-table", bdb: 1, tableEpoch: 5, shards: scene.shards(3) }));
  await done(scene.send({ ...HOLD, tableEpoch: 5 }));
  assert.equal((await scene.sharded.proxy.stats()).held, true);
  client.send("SET", "{4}", "second");
  client.send("SET", "{3}", "first");
  assert.deepEqual(client.unread, []);
  await done(scene.send({ op: "abort-table", bdb: 1, tableEpoch: 5 }));
  assert.deepEqual(await client.readMany(2), ["OK", "OK"]);
  assert.equal(await scene.next.call("DBSIZE"), 0);
  client.close();
});

test("a change that was given up does not come back, and neither does an epoch that is over", async (scene) => {
  const shards = scene.shards(3);
  for (const tableEpoch of [4, 5])
    for (const command of [
      { op: "prepare-table", bdb: 1, tableEpoch, shards },
      { ...HOLD, tableEpoch },
      { op: "abort-table", bdb: 1, tableEpoch },
      { op: "release-table", bdb: 1, tableEpoch, shards },
    ] as const)
      assert.equal(await scene.refusal(command), "PROXY_EPOCH_TOO_LOW", `${command.op} of epoch ${tableEpoch}`);
});

test("a hold ends at its own deadline, and clients go on where they were", async (scene) => {
  const client = await scene.sharded.client();
  await done(scene.send({ ...HOLD, tableEpoch: 6, holdMs: 300 }));
  assert.equal(await client.ask("GET", "{4}"), "second");
  client.close();
});

test("a shard that does not answer in time ends the holds of all", async (scene) => {
  const [, slow] = scene.sharded.engines;
  const [client, other] = await Promise.all([scene.sharded.client(), scene.sharded.client()]);
  assert.ok(slow !== undefined);
  {
    using _stopped = await suspend(slow);
    client.send("GET", "{4}");
    assert.equal(await other.ask("GET", "{3}"), "first");
    assert.equal(await scene.refusal({ ...HOLD, tableEpoch: 6, drainMs: 100 }), "PROXY_NOT_DRAINED");
    assert.equal(await other.ask("GET", "{3}"), "first");
  }
  assert.equal(await client.read(), "second");
  client.close();
  other.close();
});

test("shards whose slots do not fit, or that cannot be reached, change nothing", async (scene) => {
  const command = { op: "prepare-table", bdb: 1, tableEpoch: 6 } as const;
  const [low = []] = evenSlots(2);
  const half = scene.shards(3).map((shard) => ({ ...shard, slots: low }));
  assert.equal(await scene.refusal({ ...command, shards: half }), "PROXY_SLOT_TABLE");
  assert.equal(await scene.refusal({ ...command, shards: scene.shards(2) }), "PROXY_SLOT_TABLE");
  const gone = { id: 3, epoch: 1, primary: { host: "127.0.0.1", port: 1 } };
  assert.equal(await scene.refusal({ ...command, shards: [gone] }), "PROXY_TARGET_UNREACHABLE");
  const client = await scene.sharded.client();
  assert.equal(await client.ask("GET", "{4}"), "second");
  client.close();
});

test("what waits goes to the next shards, and what comes late says so", async (scene) => {
  const client = await scene.sharded.client();
  const released = { op: "release-table", bdb: 1, tableEpoch: 6, shards: scene.shards(3) } as const;
  await done(scene.send({ ...HOLD, tableEpoch: 6 }));
  client.send("SET", "{4}", "there");
  const reply = await done(scene.send(released));
  assert.ok("heldMs" in reply && reply.heldMs > 0);
  assert.equal(await client.read(), "OK");
  assert.equal(await scene.next.call("GET", "{4}"), "there");
  assert.equal((await done(scene.send(released))).ok, true, "the same again");
  assert.equal(await scene.refusal({ ...released, shards: scene.shards(4) }), "PROXY_SLOT_TABLE");
  assert.deepEqual(await scene.sharded.configure({}), [1], "the former configuration");
  assert.equal(await client.ask("GET", "{4}"), "there");
  client.close();
});

test("a release to the shards that serve, under a higher epoch, lets clients go on there", async (scene) => {
  const client = await scene.sharded.client();
  await done(scene.send({ op: "prepare-table", bdb: 1, tableEpoch: 7, shards: scene.sharded.endpoint.shards }));
  await done(scene.send({ ...HOLD, tableEpoch: 7 }));
  client.send("GET", "{4}");
  await done(scene.send({ op: "release-table", bdb: 1, tableEpoch: 8, shards: scene.shards(3) }));
  assert.equal(await client.read(), "there");
  assert.equal(await scene.refusal({ ...HOLD, tableEpoch: 8 }), "PROXY_EPOCH_TOO_LOW");
  client.close();
});

test("a hold that fails late, or is given up by who is late, does not end the hold of a later epoch", async (scene) => {
  const [client, other] = await Promise.all([scene.sharded.client(), scene.sharded.client()]);
  let late: Promise<string> | undefined;
  {
    using _stopped = await suspend(scene.next);
    client.send("GET", "{4}");
    await until("the engine has it", async () => (await scene.sharded.proxy.stats()).inFlight > 0);
    const early = scene.refusal({ ...HOLD, tableEpoch: 9 });
    late = scene.refusal({ ...HOLD, tableEpoch: 10 });
    assert.equal(await early, "PROXY_NOT_DRAINED", "another hold has come in its place");
    assert.equal((await scene.sharded.proxy.stats()).held, true);
    assert.equal(await scene.refusal({ ...HOLD, tableEpoch: 9 }), "PROXY_EPOCH_TOO_LOW");
    assert.equal(await scene.refusal({ op: "abort-table", bdb: 1, tableEpoch: 9 }), "PROXY_EPOCH_TOO_LOW");
  }
  assert.equal(await late, "done");
  assert.equal(await client.read(), "there");
  other.send("GET", "{4}");
  assert.deepEqual([(await scene.sharded.proxy.stats()).held, other.unread], [true, []]);
  await done(scene.send({ op: "abort-table", bdb: 1, tableEpoch: 10 }));
  assert.equal(await other.read(), "there");
  client.close();
  other.close();
});
