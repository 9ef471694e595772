// The operator against a real API server, beside a controller that only lists and watches: `npm run bench:operator -- [--databases 1000]`.
// Agents are simulated at the management API. Where there is no real API server the reason is said: npm run kubernetes.
import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
import { join } from "node:path";
import { commandLine } from "./command-line.ts";
import { measure } from "./operator/measure.ts";
import { goalsMissed, table } from "./operator/table.ts";

const { databases: sizes } = commandLine({ databases: [1000] }).options;

execFileSync(process.execPath, [join(import.meta.dirname, "..", "scripts", "build.ts")], { stdio: "inherit" });
for (const databases of sizes) {
  const before = loadavg()[0] ?? 0;
  const figures = await measure(databases, (text) => {
    console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);
  });
  console.log(
    `\n${databases} databases, load of the machine ${before.toFixed(1)} before, ${loadavg()[0]?.toFixed(1)} after`,
  );
  console.log(table(figures));
  for (const missed of goalsMissed(figures)) {
    console.log(`missed: ${missed}`);
    process.exitCode = 1;
  }
}
