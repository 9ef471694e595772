// What 10, 100 and 500 databases cost while nobody uses them: `npm run bench:scale -- [options]`. A local world of three nodes runs
// the compiled programs; each database has an engine of its own and an endpoint on each node.
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { atRest, type Rest } from "./scale/rest.ts";
import { goalsMissed, linesOf } from "./scale/table.ts";
import { build, fillUp, startBuiltWorld, startCluster } from "./world/built-world.ts";

const { values } = parseArgs({
  options: {
    /** A list: databases are added until there are so many. */
    databases: { type: "string", default: "10,100,500" },
    replication: { type: "boolean", default: false },
    /** How long the world is watched, and how long it settles before. */
    seconds: { type: "string", default: "30" },
    settle: { type: "string", default: "20" },
    /** dist/ is up to date. */
    built: { type: "boolean", default: false },
    json: { type: "string", default: "scale.json" },
  },
});
const said = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`${text.padEnd(60)}\r`);
  else console.log(text);
};

if (!values.built) build();
await using world = await startBuiltWorld();
said(`Kubernetes answered after ${(world.upMs / 1000).toFixed(2)} s; the cluster starts`);
await startCluster(world);
const rows: Rest[] = [];
for (const databases of values.databases.split(",").map(Number)) {
  let shown = -1;
  await fillUp(world.kube, databases, { replication: values.replication }, (active) => {
    if (active - shown < Math.max(1, databases / 20) && active < databases) return;
    shown = active;
    said(`${active} of ${databases} databases are active`);
  });
  said(`${databases} databases settle, then are watched for ${values.seconds} s`);
  await sleep(Number(values.settle) * 1000);
  const rest = await atRest(world.dir, databases, Number(values.seconds) * 1000);
  rows.push(rest);
  console.log(`\n${databases} databases at rest, load of the machine ${loadavg()[0]?.toFixed(1)}`);
  for (const line of linesOf(rest)) console.log(line);
  writeFileSync(values.json, `${JSON.stringify(rows, undefined, 2)}\n`);
}
for (const missed of rows.flatMap(goalsMissed)) {
  console.log(`missed: ${missed}`);
  process.exitCode = 1;
}
