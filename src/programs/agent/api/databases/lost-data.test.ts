import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../../test/kit/facts/database-scene.ts";
import type { DatabaseRecord } from "../../../../core/api/records.ts";
import type { LocalInstance } from "../../../../ports/management/records.ts";
import { awaitInsteadOfLost, type LostDataContext } from "./lost-data.ts";

const LACKS = "the data is gone with its volume";
const serving = factsOf({ instances: [on(1, 1)] }).record;
const lost: DatabaseRecord = {
  ...serving,
  status: "recovery",
  shards: serving.shards.map((shard) => ({ ...shard, recovery: { lacks: LACKS } })),
};

test("a shard that lacks its data waits for those of a backup, where its node says that they are gone", async () => {
  const { changed, context } = scene({ lost: true });
  const record = await awaitInsteadOfLost(context, lost);
  assert.deepEqual(
    record.shards.map(({ recovery }) => recovery),
    [{ lacks: LACKS, awaited: true }],
  );
  assert.deepEqual(changed(), record);
  assert.equal(await awaitInsteadOfLost(context, record), record);
});

for (const [why, report] of [
  ["is on its volume", { lost: false }],
  ["does not answer", undefined],
] as const)
  test(`nothing changes where the data ${why}: that is newer than a backup`, async () => {
    const { changed, context } = scene(report);
    await assert.rejects(awaitInsteadOfLost(context, lost), { code: "AGENT_DATA_IS_THERE", message: new RegExp(why) });
    assert.equal(changed(), undefined);
  });

test("a database that serves, and a shard to whose loss a user has agreed, wait for nothing", async () => {
  const { changed, context } = scene({ lost: true });
  const agreed = {
    ...lost,
    shards: lost.shards.map((shard) => ({ ...shard, recovery: { lacks: LACKS, consent: true as const } })),
  };
  for (const record of [serving, agreed]) assert.equal(await awaitInsteadOfLost(context, record), record);
  assert.equal(changed(), undefined);
});

/** `report`: what the node of the primary says of it; undefined: it does not answer. */
function scene(report: Pick<LocalInstance, "lost"> | undefined) {
  let changed: DatabaseRecord | undefined;
  const context = {
    config: { node: 2 },
    localInstances: () => [],
    peers: {
      localInstances: () => Promise.resolve(report && [{ bdb: lost.uid, instance: 1, ...report } as LocalInstance]),
    },
    members: { get: () => undefined, list: () => [] },
    records: {
      changeDatabase: (_uid: number, change: (record: DatabaseRecord) => DatabaseRecord) => {
        changed = change(lost);
        return Promise.resolve(changed);
      },
    },
  } as unknown as LostDataContext;
  return { context, changed: () => changed };
}
