// Makes the programs of kept releases, each from its commit, and prints their folders on standard output:
//   npm run -s releases             every release of releases/history.json
//   npm run -s releases -- 0.1.0    these
// Exit codes: 0 they are there, 1 something failed, 2 wrong arguments.
import { messageOf } from "#kit/base/fault";
import { buildRelease, whyNotBuildable } from "./releases/build.ts";
import { keptReleases } from "./releases/history.ts";

process.exitCode = await main(process.argv.slice(2));

async function main(versions: readonly string[]): Promise<number> {
  const all = keptReleases();
  const unknown = versions.find((version) => !all.some((kept) => kept.version === version));
  if (unknown !== undefined) {
    say(`release ${unknown} is not kept; kept are: ${all.map(({ version }) => version).join(", ")}`);
    return 2;
  }
  try {
    for (const kept of all.filter(({ version }) => versions.length === 0 || versions.includes(version))) {
      const obstacle = await whyNotBuildable(kept);
      if (obstacle !== undefined) throw new Error(obstacle);
      process.stdout.write(`${(await buildRelease(kept)).folder}\n`);
    }
    return 0;
  } catch (error) {
    say(messageOf(error));
    return 1;
  }
}

function say(line: string): void {
  process.stderr.write(`releases: ${line}\n`);
}
