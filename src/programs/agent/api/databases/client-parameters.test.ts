import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../../test/kit/facts/database-scene.ts";
import { FakeClock } from "#kit/testing/fake-clock";
import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { askedIn } from "../../../../core/api/settings/client-parameters.ts";
import { ClientParameterWrites } from "./client-parameters.ts";

/** The leader, with one database and nodes that can do what is said. */
class Leader {
  readonly clock = new FakeClock();
  readonly writes: ClientParameterWrites;
  record: DatabaseRecord;
  written = 0;

  constructor(record: Partial<DatabaseRecord> = {}, capabilities = ["client-parameters"]) {
    this.record = factsOf({ instances: [on(1, 1)], record }).record;
    const report = { capabilities, operatorVersion: "8.0.2-2" };
    this.writes = new ClientParameterWrites({
      clock: this.clock,
      members: { list: () => JSON.parse(JSON.stringify([{ uid: 1, fresh: false, report }])) },
      records: {
        changeDatabase: async (_uid, change) => {
          const next = change(this.record);
          if (next !== this.record) this.written++;
          this.record = next;
          return Promise.resolve(next);
        },
      },
    });
  }

  set(text: string) {
    return this.writes.set(1, askedIn(text));
  }
}

test("what is asked for while a write is under way is one more write, in the order in which it was asked for", async () => {
  const leader = new Leader();
  const answers = await Promise.all(
    ["=K", "=KE", "=KEx", "=KEA"].map((value) => leader.set(`notify-keyspace-events${value}`)),
  );
  assert.deepEqual(
    answers.map(({ revision }) => revision),
    [1, 4, 4, 4],
  );
  assert.equal(leader.record.clientParameters?.values, "notify-keyspace-events=AKE");
  assert.equal(leader.written, 2);
});

test("what the record has is not written again", async () => {
  const leader = new Leader();
  await leader.set("lfu-decay-time=2");
  assert.deepEqual(await leader.set("lfu-decay-time=2"), { revision: 1, client_parameters: "lfu-decay-time=2" });
  assert.deepEqual(await leader.set("slowlog-max-len=128"), { revision: 1, client_parameters: "lfu-decay-time=2" });
  assert.equal(leader.written, 1);
});

test("after eight writes at once there is one a second, and none is refused", async () => {
  const leader = new Leader();
  for (let i = 2; i < 10; i++) await leader.set(`lfu-decay-time=${i}`);
  const late = [leader.set("lfu-decay-time=10"), leader.set("lfu-decay-time=11")];
  await leader.clock.advance(999);
  assert.equal(leader.written, 8);
  await leader.clock.advance(1);
  await Promise.all(late);
  assert.deepEqual([leader.written, leader.record.clientParameters?.values], [9, "lfu-decay-time=11"]);
});

test("nothing is kept of databases that were written a while ago, as those that are deleted since", async () => {
  const leader = new Leader();
  for (const [bdb, value] of ["2", "3", "4"].entries())
    await leader.writes.set(bdb, askedIn(`lfu-decay-time=${value}`));
  assert.equal(leader.writes.size, 3);
  await leader.clock.advance(8_000);
  assert.equal(leader.writes.size, 0);
});

test("a node of an older release, also one that is away, keeps clients from setting parameters", () => {
  assert.throws(() => new Leader({}, ["votes"]).set("lfu-decay-time=2"), /node 1 \(8\.0\.2-2\)/);
});

test("a database that is being deleted gets no parameters, and a refusal ends nothing", async () => {
  const leader = new Leader({ status: "delete-pending" });
  await assert.rejects(leader.set("lfu-decay-time=2"), /is being deleted/);
  leader.record = { ...leader.record, status: "active" };
  assert.equal((await leader.set("lfu-decay-time=2")).revision, 1);
});
