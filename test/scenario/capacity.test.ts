import assert from "node:assert/strict";
import { test } from "node:test";
import type { NodeRecord } from "../../src/ports/management/records.ts";
import { startTestCluster, type TestCluster } from "../kit/world/cluster.ts";
import { containedNodes, whyNoGroups } from "../kubernetes/machine/contained-nodes.ts";
import { fullDatabase, overwrite } from "../kit/world/memory-pressure.ts";

// What nodes offer is what their containers can hold: full databases are saved and copied, and the kernel ends no process.

const LIMIT = 1024 * 1024 * 1024;
const MEGABYTE = 1_000_000;

test(
  "databases that fill what was offered are saved and copied under load, without a process that is killed",
  { skip: whyNoGroups() },
  async () => {
    await using nodes = containedNodes(2, LIMIT);
    await using cluster = await startTestCluster({ nodes: 2, within: nodes.within });
    assert.deepEqual(
      (await memoryOf(cluster)).map(({ limit }) => limit),
      [LIMIT, LIMIT],
      "the limit of the container, not the memory of the machine",
    );
    const offered = await largest(cluster);
    await refuses(cluster, offered + MEGABYTE, /has room for a database of \d+ MB, and this one has \d+ MB/);
    const first = await fullDatabase(cluster, "first", Math.floor(offered / 3));
    const rest = await largest(cluster);
    await refuses(cluster, rest + MEGABYTE, /has room for a database of \d+ MB/);
    const second = await fullDatabase(cluster, "second", rest);
    assert.equal(await largest(cluster), 0, "all is given");
    const grows = cluster.client.call("updateBdb", {
      params: { uid: first.uid },
      body: { memory_size: offered },
    });
    await assert.rejects(grows, /"first" has \d+ MB and cannot have \d+ MB: node \d has room for \d+ MB of it/);

    const primaries = await Promise.all([first, second].map(({ uid }) => primaryPid(cluster, uid)));
    const stop = new AbortController();
    const load = [first, second].map(({ uid }) => overwrite(cluster, uid, { signal: stop.signal }));
    await Promise.all([first.save(), second.save()]);
    await Promise.all([first.resync(), second.resync()]);
    stop.abort();
    assert.deepEqual(await Promise.all(load), [0, 0], "writes that were refused");
    assert.deepEqual([nodes.oomKills(1), nodes.oomKills(2)], [0, 0], "processes that were killed");
    assert.deepEqual(await Promise.all([first, second].map(({ uid }) => primaryPid(cluster, uid))), primaries);
  },
);

async function memoryOf(cluster: TestCluster): Promise<readonly NonNullable<NodeRecord["memory"]>[]> {
  return (await cluster.client.call("nodes")).flatMap(({ memory }) => (memory === undefined ? [] : [memory]));
}

/** What the nodes say that one more database with a replica could have. */
async function largest(cluster: TestCluster): Promise<number> {
  return Math.min(...(await memoryOf(cluster)).map((memory) => memory.largest));
}

async function refuses(cluster: TestCluster, memory_size: number, why: RegExp): Promise<void> {
  const body = { name: "more", memory_size, replication: true };
  await assert.rejects(cluster.client.call("createBdb", { body }), why);
}

async function primaryPid(cluster: TestCluster, uid: number): Promise<number> {
  const [primary] = (await cluster.shards(uid)).filter(({ role }) => role === "master");
  assert.ok(primary !== undefined);
  return cluster.enginePid(primary);
}
