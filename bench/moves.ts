// Planned moves under load: `npm run bench:moves -- [moves] [upgrades]`. Prints each move, then a table: how long the slowest request of
// clients took that stayed connected, and what failed or was lost. Exits with 1 when anything did.
import { countsOf } from "./database/counts.ts";
import { startScene, nodesBeside } from "./database/scene.ts";
import { Series, head } from "./database/table.ts";

const [moves = 0, upgrades = 0] = countsOf([
  ["moves", 50],
  ["upgrades", 5],
]);

const moved = await movePrimaries(moves);
const upgraded = await upgradeVersions(upgrades);
console.log(`\n${head("slowest request")}`);
for (const series of [moved, upgraded]) console.log(series.row());
if (moved.failed + moved.lost + upgraded.failed + upgraded.lost > 0) process.exitCode = 1;

/** The node of the primary goes into maintenance and comes back; clients of the other nodes write. */
async function movePrimaries(count: number): Promise<Series> {
  const series = new Series("moves");
  await using scene = await startScene("8.0");
  const { cluster } = scene;
  for (let move = 0; move < count; move += 1) {
    await scene.whole();
    const node = await scene.primaryNode();
    const params = { uid: node };
    const report = await scene.underLoad(nodesBeside(node), async () => {
      const body = { demote_node: true };
      await scene.completed((await cluster.client.call("maintenanceOn", { params, body })).action_uid);
    });
    await cluster.client.call("maintenanceOff", { params });
    series.add(count, report.longestMs, report);
  }
  return series;
}

/** A database goes to a newer version, by a further replica and a change of the primary; clients of all nodes write. */
async function upgradeVersions(count: number): Promise<Series> {
  const series = new Series("upgrades");
  for (let upgrade = 0; upgrade < count; upgrade += 1) {
    await using scene = await startScene("7.2");
    await scene.whole();
    const { uid } = scene;
    const report = await scene.underLoad([1, 2, 3], async () => {
      const body = { store_version: "8.0" };
      await scene.completed((await scene.cluster.client.call("upgradeBdb", { params: { uid }, body })).action_uid);
    });
    series.add(count, report.longestMs, report);
  }
  return series;
}
