import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import type { BdbRecord } from "../../src/ports/management/records.ts";
import { seededDice } from "../kit/world/chaos.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import type { TestCluster } from "../kit/world/cluster.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";
import { startLedger } from "../kit/load/load-ledger.ts";
import { until } from "#kit/testing/until";

/** How often the primary's node is frozen; `FREEZE_SEED` and `FREEZE_ROUNDS` choose others. */
const rounds = Number(process.env["FREEZE_ROUNDS"] ?? 2);
const seed = Number(process.env["FREEZE_SEED"] ?? Date.now() % 100_000);
/** Around the time that it takes until a replica has taken over, in milliseconds; the last round waits until one has. */
const FROZEN = { least: 5_500, most: 13_000 };
const PATIENCE = { withinMs: 40_000, everyMs: 25 };
const skip = existsSync("/proc/self/stat") ? false : "needs /proc to see that processes stand still";

test(
  `a primary's node that stands still past its lease and goes on: no acknowledged write is lost (FREEZE_SEED=${seed})`,
  { skip },
  async () => {
    await using cluster = await startTestCluster();
    const { uid, port } = await cluster.create({ name: "frozen", memory_size: 50_000_000, replication: true });
    const dice = seededDice(seed);
    let takenOver = 0;
    for (let round = 0; round < rounds; round++) {
      await whole(cluster, uid);
      await using stack = new AsyncDisposableStack();
      const ledgers = await Promise.all(
        [1, 2, 3].map(async (node) =>
          stack.use(await startLedger({ host: cluster.address(node), port, connections: 8, pauseMs: 3 })),
        ),
      );
      await until("clients of every node write", () => ledgers.every((ledger) => ledger.requests() > 200));
      const before = await read(cluster, uid);
      const node = nodeOf(primaryOf(await cluster.shards(uid)));
      const frozenMs = FROZEN.least + dice() * (FROZEN.most - FROZEN.least);
      const isLast = round === rounds - 1;
      await cluster.freeze(node);
      try {
        await sleep(frozenMs);
        if (isLast) await untilTakenOver(cluster, node, before);
      } finally {
        cluster.thaw(node);
      }
      await whole(cluster, uid);
      const { epoch } = await read(cluster, uid);
      if (epoch > before.epoch) takenOver += 1;
      const story = `round ${round}: node ${node} frozen for ${Math.round(frozenMs)} ms, epoch ${before.epoch} to ${epoch}`;
      for (const report of await Promise.all(ledgers.map((ledger) => ledger.stop())))
        assert.equal(report.lost, 0, `${story}\n${report.complaints.join("\n")}`);
    }
    assert.ok(takenOver > 0, "no replica ever took over: nothing was proven");
  },
);

/** The other nodes are asked: the frozen one does not answer. */
async function untilTakenOver(cluster: TestCluster, frozen: number, { uid, epoch }: BdbRecord): Promise<void> {
  const client = cluster.clientOf(frozen === 1 ? 2 : 1);
  const isTakenOver = async (): Promise<boolean> => (await client.call("bdb", { params: { uid } })).epoch > epoch;
  await until("a replica has taken over", isTakenOver, PATIENCE)
    .catch((error: unknown) => {
      const logs = [1, 2, 3].map((node) => `node ${node}:\n${cluster.log(node).slice(-6_000)}`);
      throw new Error(`node ${frozen} stands still\n${logs.join("\n")}`, { cause: error });
    })
    .finally(() => client.close());
}

function read(cluster: TestCluster, uid: number): Promise<BdbRecord> {
  return cluster.client.call("bdb", { params: { uid } });
}

function whole(cluster: TestCluster, uid: number): Promise<void> {
  return until(
    "the database has a primary and a replica in sync",
    async () => {
      const shards = await cluster.shards(uid);
      const { status } = await read(cluster, uid);
      return status === "active" && shards.length === 2 && shards.every(({ in_sync }) => in_sync);
    },
    PATIENCE,
  );
}
