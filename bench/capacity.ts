import { setTimeout as sleep } from "node:timers/promises";
import { containedNodes, whyNoGroups } from "../test/kubernetes/machine/contained-nodes.ts";
import { startTestCluster, type TestCluster } from "../test/kit/world/cluster.ts";
import { fullDatabase, overwrite, type FullDatabase } from "../test/kit/world/memory-pressure.ts";
import { commandLine } from "./command-line.ts";

// Two nodes, each in a control group with a limit of memory. Two databases with a replica are filled to what is offered, or to what
// `--given` says in spite of it, and are saved and copied at once while clients write.

const { options } = commandLine({
  limit: 4096,
  /** 0: what is offered. */
  given: 0,
  rounds: 2,
});
const MEBIBYTE = 1024 * 1024;
const SHARES = [1, 1];

const obstacle = whyNoGroups();
if (obstacle !== false) throw new Error(obstacle);
await measure(options.limit * MEBIBYTE, options.rounds);

async function measure(limit: number, rounds: number): Promise<void> {
  const given = options.given === 0 ? undefined : (options.given * MEBIBYTE) / SHARES.length;
  // what is given in spite of the limit is made before there is one
  await using nodes = containedNodes(2, given === undefined ? limit : 4 * limit);
  await using cluster = await startTestCluster({ nodes: 2, within: nodes.within });
  const databases: FullDatabase[] = [];
  for (const [index] of SHARES.entries()) {
    const bytes = given ?? Math.floor((await offered(cluster)) / (index === 0 ? 2.1 : 1));
    databases.push(await fullDatabase(cluster, `database-${index + 1}`, bytes));
    console.log(`database ${index + 1}: ${mebibytes(bytes)} filled`);
  }
  for (const uid of [1, 2]) nodes.setLimit(uid, limit);
  const stop = new AbortController();
  const load = databases.map(({ uid }) => overwrite(cluster, uid, { signal: stop.signal }).catch(String));
  let most = 0;
  const watch = (async () => {
    for (; !stop.signal.aborted; await sleep(50)) most = Math.max(most, nodes.bytes(1), nodes.bytes(2));
  })();
  try {
    for (let round = 1; round <= rounds; round++) {
      await Promise.all(databases.map(({ save }) => save()));
      await Promise.all(databases.map(({ resync }) => resync()));
      console.log(`round ${round}: most at once ${mebibytes(most)} of ${mebibytes(limit)}`);
    }
  } finally {
    stop.abort();
    await watch;
    console.log(`refused writes: ${(await Promise.all(load)).join(", ")}`);
    console.log(`most at once: ${mebibytes(most)} of ${mebibytes(limit)}`);
    console.log(`processes killed for memory: ${nodes.oomKills(1) + nodes.oomKills(2)}`);
  }
}

async function offered(cluster: TestCluster): Promise<number> {
  return Math.min(...(await cluster.client.call("nodes")).map(({ memory }) => memory?.largest ?? 0));
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}
