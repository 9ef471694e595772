// Crashes under load: `npm run bench:failover -- [kills] [--durability async,sync] [--json failover.json]`. Kills the primary's engine again and
// again, with each durability, and prints each time how long no write was acknowledged, then a table. With `async` writes that no replica had
// may be lost; exits with 1 when `sync` loses one.
import { connectEngine } from "../src/ports/resp/engine-client.ts";
import { messageOf } from "#kit/base/fault";
import { primaryOf } from "../test/kit/world/shards.ts";
import { commandLine, namesOf } from "./command-line.ts";
import { startScene, type Scene } from "./database/scene.ts";
import { conclude, Series } from "./database/table.ts";

const { counts, options } = commandLine({ durability: "async,sync", json: "failover.json" }, [["kills", 20]]);
const [kills = 0] = counts;
const durabilities = namesOf("durability", options.durability, ["async", "sync"]);
/** Longer than any failover takes. */
const GIVE_UP_MS = 30_000;
/** An engine that has ended often waits longer before it starts again, and the next kill would wait for it. */
const KILLS_OF_A_CLUSTER = 7;

const all: Series[] = [];
for (const durability of durabilities) all.push(await killAgainAndAgain(durability));
conclude("no write acknowledged", all, options.json);
if (all.some(({ name, lost }) => name === "sync" && lost > 0)) process.exitCode = 1;

async function killAgainAndAgain(durability: "async" | "sync"): Promise<Series> {
  const series = new Series(durability);
  for (let done = 0; done < kills; done += KILLS_OF_A_CLUSTER)
    await killInCluster(series, durability, Math.min(KILLS_OF_A_CLUSTER, kills - done));
  return series;
}

async function killInCluster(series: Series, durability: "async" | "sync", count: number): Promise<void> {
  await using scene = await startScene("8.0", { durability });
  for (let kill = 0; kill < count; kill += 1) {
    await scene.whole();
    let gapMs = 0;
    const seen = await scene.underLoad([1, 2, 3], async () => {
      gapMs = await writeGap(scene);
    });
    // requests that the crash has failed are what crashes do, and a lost write is said
    const complaints = seen.lost > 0 ? seen.complaints : [];
    series.add(kills, gapMs, { ...seen, complaints });
  }
}

/** Kills the primary's engine; milliseconds until a write is acknowledged again. */
async function writeGap({ cluster, uid, port, primaryNode }: Scene): Promise<number> {
  const node = await primaryNode();
  const pid = await cluster.enginePid(primaryOf(await cluster.shards(uid)));
  const host = cluster.address(node === 1 ? 2 : 1);
  const began = performance.now();
  process.kill(pid, "SIGKILL");
  for (let said = ""; performance.now() - began < GIVE_UP_MS;) {
    try {
      const client = await connectEngine({ host, port, timeoutMs: GIVE_UP_MS });
      await client.call("SET", "gap", "over");
      client.close();
      return performance.now() - began;
    } catch (error) {
      if (said !== messageOf(error)) console.log(`  ${(said = messageOf(error))}`);
    }
  }
  throw new Error(`no write was acknowledged for ${GIVE_UP_MS / 1_000} s`);
}
