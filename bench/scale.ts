// What 10, 100 and 500 databases cost while nobody uses them: `npm run bench:scale -- [options]`. A local world of three nodes runs
// the compiled programs; each database has an engine of its own and an endpoint on each node.
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { commandLine } from "./command-line.ts";
import { atRest, type Rest } from "./scale/rest.ts";
import { goalsMissed, linesOf } from "./scale/table.ts";
import { build, fillUp, startBuiltWorld, startCluster } from "./world/built-world.ts";

const { options } = commandLine({
  /** Databases are added until there are so many. */
  databases: [10, 100, 500],
  replication: false,
  /** How long the world is watched, and how long it settles before. */
  seconds: 30,
  settle: 20,
  /** dist/ is up to date. */
  built: false,
  json: "scale.json",
});
const said = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`${text.padEnd(60)}\r`);
  else console.log(text);
};

if (!options.built) build();
await using world = await startBuiltWorld();
said(`Kubernetes answered after ${(world.upMs / 1000).toFixed(2)} s; the cluster starts`);
await startCluster(world);
const rows: Rest[] = [];
for (const databases of options.databases) {
  let shown = -1;
  await fillUp(world.kube, databases, { replication: options.replication }, (active) => {
    if (active - shown < Math.max(1, databases / 20) && active < databases) return;
    shown = active;
    said(`${active} of ${databases} databases are active`);
  });
  said(`${databases} databases settle, then are watched for ${options.seconds} s`);
  await sleep(options.settle * 1000);
  const rest = await atRest(world.dir, databases, options.seconds * 1000);
  rows.push(rest);
  console.log(`\n${databases} databases at rest, load of the machine ${loadavg()[0]?.toFixed(1)}`);
  for (const line of linesOf(rest)) console.log(line);
  writeFileSync(options.json, `${JSON.stringify(rows, undefined, 2)}\n`);
}
for (const missed of rows.flatMap(goalsMissed)) {
  console.log(`missed: ${missed}`);
  process.exitCode = 1;
}
