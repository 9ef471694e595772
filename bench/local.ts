// How long a local world takes for what it does most: `npm run bench:local -- [options]`. A world of three nodes with the compiled
// programs comes up, a node with ten databases is evacuated, a replica of 1 GiB is made, and every node is replaced.
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { commandLine } from "./command-line.ts";
import { back, evacuate, filled, managementOf, replicate, roll, secondsOf } from "./local/steps.ts";
import { build, fillUp, startBuiltWorld, startCluster } from "./world/built-world.ts";

const { options } = commandLine({
  databases: 10,
  /** Of the database that gets a replica. */
  mebibytes: 1024,
  /** dist/ is up to date. */
  built: false,
  json: "local.json",
});
/** In seconds, but for the ratio of the roll. */
const GOALS: Readonly<Record<string, number>> = { kubernetes: 0.5, evacuation: 10, replica: 5, "roll, ratio": 1.3 };
const figures: Record<string, number> = {};
const add = (what: string, value: number): void => {
  figures[what] = value;
  const goal = GOALS[what];
  const isMissed = goal !== undefined && value > goal;
  if (isMissed) process.exitCode = 1;
  console.log(
    `${what.padEnd(24)}${value.toFixed(2).padStart(10)}${goal === undefined ? "" : `   at most ${goal}`}${isMissed ? "   missed" : ""}`,
  );
  writeFileSync(options.json, `${JSON.stringify({ load: loadavg()[0], figures }, undefined, 2)}\n`);
};

if (!options.built) build();
console.log(`load of the machine ${loadavg()[0]?.toFixed(1)}`);
await using world = await startBuiltWorld();
const { kube } = world;
add("kubernetes", world.upMs / 1000);
add("cluster of three nodes", await secondsOf(() => startCluster(world)));
const management = await managementOf(kube);
await using _closed = { [Symbol.asyncDispose]: () => management.close() };
const { databases } = options;
add(`${databases} databases`, await secondsOf(() => fillUp(kube, databases, { replication: true }, () => undefined)));
add("evacuation", await secondsOf(() => evacuate(management, 1)));
await back(management, 1);
await filled(kube, "large", options.mebibytes);
add("replica", await secondsOf(() => replicate(kube, management, "large")));
let pods: readonly number[] = [];
const rolled = await secondsOf(async () => {
  pods = await roll(kube);
});
const starts = pods.reduce((sum, one) => sum + one, 0);
add("roll", rolled);
add("  pods, start to ready", starts);
add("roll, ratio", rolled / starts);
